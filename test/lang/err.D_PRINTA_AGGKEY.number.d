/* what: printa() of aggregations with different numbers of keys */
BEGIN { @foo[1] = count(); @bar = count(); printa(@foo, @bar); }
