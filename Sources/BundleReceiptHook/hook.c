int osk_placeholder;
