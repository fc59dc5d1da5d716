"""Operations on expressions and their text, as plans print them."""
