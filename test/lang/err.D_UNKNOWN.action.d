/* what: an action that is not built */
BEGIN { pcap(curthread, 1); }
