/* what: printa() takes more keys than there are */
BEGIN { @a[1] = count(); printa("%d %d %@d", @a); }
