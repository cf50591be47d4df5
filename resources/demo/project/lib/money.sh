# Arithmetic with money. Everything is in cents.

# line_total QUANTITY PRICE DISCOUNT: what one line of a basket costs; the discount is rounded to the nearest cent.
line_total() {
  echo $(($1 * $2 - ($2 * $3 + 50) / 100))
}

# euros CENTS: an amount as people read it, 1234 as 12.34.
euros() {
  printf '%d.%02d' $(($1 / 100)) $(($1 % 100))
}
