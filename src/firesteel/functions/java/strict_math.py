"""Functions of Java's StrictMath over float64 columns, where C's results differ in the last digit.

Java's Math.asin, acos, atan, atan2, sinh, cosh and tanh equal StrictMath's on every machine. StrictMath is
defined by fdlibm 5.3 (Sun, e_asin.c and other files). Steps, order and coefficients are fdlibm's.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]

_HALF_PI, _HALF_PI_LOW = 1.57079632679489655800e00, 6.12323399573676603587e-17
_QUARTER_PI = 7.85398163397448278999e-01
_PI, _PI_LOW = 3.1415926535897931160e00, 1.2246467991473531772e-16
_LN2, _LN2_LOW, _BY_LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.44269504088896338700e00
_ASIN_P = (
    *(1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01),
    *(-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05),
)
_ASIN_Q = (
    *(1.0, -2.40339491173441421878e00, 2.02094576023350569471e00),
    *(-6.88283971605453293030e-01, 7.70381505559019352791e-02),
)
_ATAN_HIGH = np.array([4.63647609000806093515e-01, _QUARTER_PI, 9.82793723247329054082e-01, _HALF_PI, 0.0])
_ATAN_LOW = np.array(
    [2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17, _HALF_PI_LOW, 0.0]
)
_ATAN = (
    *(3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01),
    *(-1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02),
    *(6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02),
    *(-3.65315727442169155270e-02, 1.62858201153657823623e-02),
)
_EXP = (
    *(1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05),
    *(-1.65339022054652515390e-06, 4.13813679705723846039e-08),
)
_EXPM1 = (
    *(1.0, -3.33333333333331316428e-02, 1.58730158725481460165e-03, -7.93650757867487942473e-05),
    *(4.00821782732936239552e-06, -2.01099218183624371326e-07),
)
_OVERFLOW = 710.4758600739439  # Above this limit, the hyperbolic functions are infinite.


def _polynomial(x: Column, coefficients: tuple[float, ...]) -> Column:
    return reduce(
        lambda sum_, c: sum_ * x + c, reversed(coefficients[:-1]), np.full_like(x, coefficients[-1])
    )


def _high(x: Column) -> NDArray[np.int64]:
    """Return the upper 32 bits of numbers without the sign, by which fdlibm compares magnitudes."""
    return (x.view(np.int64) >> 32) & 0x7FFFFFFF


def _without_low_word(x: Column) -> Column:
    return (x.view(np.int64) & ~0xFFFFFFFF).view(np.float64)


def _root(x: Column) -> tuple[Column, Column, Column]:
    """Return (root, upper, rest) of the square roots of numbers.

    `upper` is `root` with its low 32 bits cleared. `rest` is the exact square root minus `upper`.
    """
    root = np.sqrt(x)
    upper = _without_low_word(root)
    return root, upper, (x - upper * upper) / (root + upper)


def _ratio(x: Column) -> Column:
    return x * _polynomial(x, _ASIN_P) / _polynomial(x, _ASIN_Q)


def asin(x: Column) -> Column:
    size, high = np.abs(x), _high(x)
    near_zero = x + x * _ratio(x * x)
    t = (1.0 - size) * 0.5
    ratio = _ratio(t)
    root, upper, rest = _root(t)
    near_one = _HALF_PI - (2.0 * (root + root * ratio) - _HALF_PI_LOW)
    p = 2.0 * root * ratio - (_HALF_PI_LOW - 2.0 * rest)
    between = _QUARTER_PI - (p - (_QUARTER_PI - 2.0 * upper))
    large = np.copysign(np.where(high >= 0x3FEF3333, near_one, between), x)
    found = np.where(high < 0x3E400000, x, np.where(high < 0x3FE00000, near_zero, large))
    return np.where(size == 1.0, x * _HALF_PI + x * _HALF_PI_LOW, np.where(size > 1.0, np.nan, found))


def acos(x: Column) -> Column:
    size, high = np.abs(x), _high(x)
    near_zero = _HALF_PI - (x - (_HALF_PI_LOW - x * _ratio(x * x)))
    t = (1.0 - size) * 0.5
    ratio = _ratio(t)
    root, upper, rest = _root(t)
    negative = _PI - 2.0 * (root + (ratio * root - _HALF_PI_LOW))
    positive = 2.0 * (upper + (ratio * root + rest))
    found = np.where(high < 0x3FE00000, near_zero, np.where(x < 0, negative, positive))
    found = np.where(high <= 0x3C600000, _HALF_PI + _HALF_PI_LOW, found)
    at_one = np.where(x > 0, 0.0, _PI + 2.0 * _HALF_PI_LOW)
    return np.where(size == 1.0, at_one, np.where(size > 1.0, np.nan, found))


def atan(x: Column) -> Column:
    size, high = np.abs(x), _high(x)
    bounds = [0x3FDC0000, 0x3FE60000, 0x3FF30000, 0x40038000]
    part = np.searchsorted(bounds, high, side="right") - 1  # Index of the range of |x|, from -1.
    known = [(2.0 * size - 1.0) / (2.0 + size), (size - 1.0) / (size + 1.0)]
    reduced = np.choose(part + 1, [x, *known, (size - 1.5) / (1.0 + 1.5 * size), -1.0 / size])
    z = reduced * reduced
    w = z * z
    sum_ = z * _polynomial(w, _ATAN[0::2]) + w * _polynomial(w, _ATAN[1::2])
    moved = _ATAN_HIGH[part] - ((reduced * sum_ - _ATAN_LOW[part]) - reduced)
    found = np.where(part < 0, reduced - reduced * sum_, np.copysign(moved, x))
    found = np.where(high < 0x3E200000, x, found)
    found = np.where(high >= 0x44100000, np.copysign(_HALF_PI + _HALF_PI_LOW, x), found)
    return np.where(np.isnan(x), x, found)


def atan2(y: Column, x: Column) -> Column:
    apart = (_high(y) - _high(x)) >> 20
    angle = atan(np.abs(y / x))
    angle = np.where(apart > 60, _HALF_PI + 0.5 * _PI_LOW, np.where((apart < -60) & (x < 0), 0.0, angle))
    left = np.where(np.signbit(y), (angle - _PI_LOW) - _PI, _PI - (angle - _PI_LOW))
    found = np.where(np.signbit(x), left, np.copysign(angle, y))
    found = np.where(x == 1.0, atan(y), found)
    found = np.where(x == 0, np.copysign(_HALF_PI, y), found)
    found = np.where(y == 0, np.where(np.signbit(x), np.copysign(_PI, y), y), found)
    at_infinity = np.where(np.isinf(y), np.where(x < 0, 3.0, 1.0) * _QUARTER_PI, np.where(x < 0, _PI, 0.0))
    found = np.where(np.isinf(x), np.copysign(at_infinity, y), found)
    found = np.where(np.isinf(y) & np.isfinite(x), np.copysign(_HALF_PI, y), found)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, found)


def _reduced(x: Column) -> tuple[Column, Column, NDArray[np.int64]]:
    """Return upper, lower and k, such that upper - lower is x - k * ln 2 with more digits than a float64."""
    high, negative = _high(x), np.signbit(x)
    by_rounding = np.trunc(_BY_LN2 * x + np.where(negative, -0.5, 0.5))
    count = np.where(high < 0x3FF0A2B2, np.where(negative, -1.0, 1.0), by_rounding)
    count = np.where(high > 0x3FD62E42, count, 0.0)
    return x - count * _LN2, count * _LN2_LOW, count.astype(np.int64)


def _exp(x: Column) -> Column:
    """Return e ** x for x that does not overflow."""
    upper, lower, count = _reduced(x)
    r = upper - lower
    t = r * r
    c = r - t * _polynomial(t, _EXP)
    plain = 1.0 - ((r * c) / (c - 2.0) - r)
    scaled = np.ldexp(1.0 - ((lower - (r * c) / (2.0 - c)) - upper), count)
    return np.where(count == 0, np.where(_high(x) < 0x3E300000, 1.0 + x, plain), scaled)


def _expm1(x: Column) -> Column:
    upper, lower, count = _reduced(x)
    r = upper - lower
    c = (upper - r) - lower
    half = 0.5 * r
    s = r * half
    poly = _polynomial(s, _EXPM1)
    t = 3.0 - poly * half
    e = s * ((poly - t) / (6.0 - r * t))
    unscaled = r - (r * e - s)
    e = (r * (e - c) - c) - s
    down = 0.5 * (r - e) - 0.5
    up = np.where(r < -0.25, -2.0 * (e - (r + 0.5)), 1.0 + 2.0 * (r - e))
    far = np.ldexp(1.0 - (e - r), count) - 1.0
    small = np.ldexp(1.0, -count)
    few = np.ldexp((1.0 - small) - (e - r), count)
    many = np.ldexp((r - (e + small)) + 1.0, count)
    found = np.where((count <= -2) | (count > 56), far, np.where(count < 20, few, many))
    found = np.choose(np.clip(count, -2, 2) + 2, [found, down, unscaled, up, found])
    high = _high(x)
    found = np.where((high >= 0x4043687A) & (x < 0), -1.0, found)
    return np.where(high < 0x3C900000, x, found)


def _far_out(size: Column) -> Column:
    """Return e ** size / 2 for a large size."""
    root = _exp(0.5 * np.minimum(size, 711.0))
    found = np.where(_high(size) < 0x40862E42, 0.5 * _exp(np.minimum(size, 710.0)), 0.5 * root * root)
    return np.where(np.isnan(size), size, np.where(size > _OVERFLOW, np.inf, found))


def sinh(x: Column) -> Column:
    size, high = np.abs(x), _high(x)
    t = _expm1(np.minimum(size, 22.0))
    small = 0.5 * np.where(high < 0x3FF00000, 2.0 * t - t * t / (t + 1.0), t + t / (t + 1.0))
    found = np.where(high < 0x3E300000, size, np.where(high < 0x40360000, small, _far_out(size)))
    return np.copysign(found, x)


def cosh(x: Column) -> Column:
    size, high = np.abs(x), _high(x)
    t = _expm1(np.minimum(size, 1.0))
    w = 1.0 + t
    least = np.where(high < 0x3C800000, w, 1.0 + (t * t) / (w + w))
    e = _exp(np.minimum(size, 22.0))
    found = np.where(high < 0x40360000, 0.5 * e + 0.5 / e, _far_out(size))
    return np.where(high < 0x3FD62E43, least, found)


def tanh(x: Column) -> Column:
    size, high = np.minimum(np.abs(x), 22.0), _high(x)
    up, down = _expm1(2.0 * size), _expm1(-2.0 * size)
    found = np.where(high >= 0x3FF00000, 1.0 - 2.0 / (up + 2.0), -down / (down + 2.0))
    found = np.where(high >= 0x40360000, 1.0, found)
    found = np.where(high < 0x3C800000, size * (1.0 + size), found)
    return np.where(np.isnan(x), x, np.copysign(found, x))
