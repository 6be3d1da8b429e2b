/* what: order is checked through branches */
BEGIN { if (pid) { commit(1); } else { @a = count(); } trace(0); }
