/* what: a lone backquote */
BEGIN { trace(`); }
