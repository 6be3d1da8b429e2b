/* what: printa() of aggregations with different types of keys */
BEGIN { @foo[1] = count(); @bar["a"] = count(); printa(@foo, @bar); }
