/* what: a leading colon opens no field of its own: -f ::read: is :read:: */
/* @@run: $DTRACE -xerrtags -f ::read: */
/* @@match: \[D_PDESC_ZERO\] probe description :read:: does not match any probes$ */
