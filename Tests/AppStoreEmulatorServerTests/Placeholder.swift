// laid next
