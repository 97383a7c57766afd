#!/usr/bin/python3
"""Makes photograph.jpg, the picture that the sample app's filters are tried on: a lake at dusk.

Nothing of it was taken with a camera; the project contains only what was made for it. The app lets its user choose a
real one. Needs numpy and Pillow (Debian: python3-numpy, python3-pil). The same seed makes the same picture.
"""
import sys

import numpy
from PIL import Image

WIDTH, HEIGHT, SEED = 960, 640, 20080711


def smooth_noise(random, height, width, cells):
    """Noise between 0 and 1 whose bumps are 1/cells of the picture wide."""
    rows = max(2, round(cells * height / width) + 2)
    grid = random.random((rows, cells + 2))
    y = numpy.linspace(0, rows - 1.001, height)[:, None]
    x = numpy.linspace(0, cells + 0.999, width)[None, :]
    y0, x0 = y.astype(int), x.astype(int)
    v, u = y - y0, x - x0
    v, u = v * v * (3 - 2 * v), u * u * (3 - 2 * u)
    top = grid[y0, x0] * (1 - u) + grid[y0, x0 + 1] * u
    bottom = grid[y0 + 1, x0] * (1 - u) + grid[y0 + 1, x0 + 1] * u
    return top * (1 - v) + bottom * v


def fractal(random, height, width, cells, octaves):
    total, weight, result = 0.0, 1.0, 0.0
    for _ in range(octaves):
        result = result + weight * smooth_noise(random, height, width, cells)
        total, weight, cells = total + weight, weight / 2, cells * 2
    return result / total


def mix(first, second, share):
    return first * (1 - share[..., None]) + second * share[..., None]


def colour(*parts):
    return numpy.array(parts, float)


def sky(random, height):
    depth = numpy.linspace(0, 1, height)[:, None].repeat(WIDTH, 1)
    picture = mix(mix(numpy.ones((height, WIDTH, 3)) * colour(38, 62, 118), colour(232, 140, 110), depth ** 1.2),
                  colour(255, 205, 140), numpy.clip(depth * 2.2 - 1.35, 0, 1))
    x = numpy.linspace(0, 1, WIDTH)[None, :]
    glow = numpy.exp(-(((x - 0.62) / 0.22) ** 2 + ((depth - 0.93) / 0.34) ** 2))
    picture = mix(picture, colour(255, 236, 190), glow * 0.85)
    stretched = fractal(random, height * 3, WIDTH, 5, 6)[::3]
    clouds = numpy.clip((stretched - 0.50) * 4.2, 0, 1) * numpy.clip(1.15 - depth, 0, 1)
    lit = mix(numpy.ones((height, WIDTH, 3)) * colour(120, 96, 132), colour(255, 190, 150), numpy.clip(depth * 1.1, 0, 1))
    picture = mix(picture, lit, clouds * 0.8)
    sun = numpy.exp(-(((x - 0.62) * WIDTH / 22) ** 2 + ((depth - 0.885) * height / 22) ** 2) ** 2)
    return mix(picture, colour(255, 250, 228), sun)


def ridge(random, base, rise, cells):
    return base - rise * (fractal(random, 2, WIDTH, cells, 7)[0] - 0.35)


def main(target):
    random = numpy.random.default_rng(SEED)
    shore = int(HEIGHT * 0.60)
    picture = sky(random, shore)
    rows = numpy.arange(shore)[:, None]
    layers = [(0.90, 0.75, 3, (128, 110, 150), 0.55), (0.985, 0.62, 4, (74, 74, 112), 0.35), (1.0, 0.34, 6, (34, 48, 62), 0.10)]
    for base, rise, cells, tint, haze in layers:
        line = ridge(random, base, rise, cells) * shore
        inside = 1 / (1 + numpy.exp(-(rows - line[None, :]) / 0.8))
        below = numpy.clip((rows - line[None, :]) / (shore * 0.35), 0, 1)
        rock = fractal(random, shore, WIDTH, 24, 5)[..., None]
        body = colour(*tint) * (0.72 + 0.5 * rock)
        body = mix(body, numpy.ones_like(body) * colour(246, 178, 140), below * haze)
        picture = mix(picture, body, inside)
    # Firs along the shore.
    edge = numpy.full(WIDTH, shore, float)
    for _ in range(260):
        foot, tall = random.integers(0, WIDTH), random.uniform(10, 44)
        if 0.40 * WIDTH < foot < 0.78 * WIDTH:
            tall *= 0.35
        reach = max(2, int(tall * 0.26))
        for step in range(-reach, reach + 1):
            if 0 <= foot + step < WIDTH:
                jag = 1 - abs(step) / reach + random.uniform(-0.12, 0.12)
                edge[foot + step] = min(edge[foot + step], shore - tall * max(jag, 0))
    trees = 1 / (1 + numpy.exp(numpy.clip((edge[None, :] - rows) / 0.5, -60, 60)))
    picture = mix(picture, numpy.ones_like(picture) * colour(16, 26, 28), trees)
    # The lake: the same, upside down, disturbed by ripples that grow towards the viewer.
    depth = HEIGHT - shore
    near = numpy.arange(depth)[:, None] / depth
    ripple = fractal(random, depth * 5, WIDTH, 14, 5)[::5] - 0.5
    source = numpy.clip(shore - 1 - (numpy.arange(depth)[:, None] * 1.25 + ripple * (8 + 90 * near)), 0, shore - 1).astype(int)
    sway = numpy.clip(numpy.arange(WIDTH)[None, :] + ripple * (4 + 40 * near), 0, WIDTH - 1).astype(int)
    water = picture[source, sway] * (0.80 - 0.32 * near)[..., None] + colour(10, 20, 34) * near[..., None]
    picture = numpy.concatenate([picture, water + (ripple * 60 * near)[..., None]])
    # A jetty, for the foreground.
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    far, here = int(HEIGHT * 0.70), HEIGHT
    share = numpy.clip((y - far) / (here - far), 0, 1)
    middle, half = 0.30 * WIDTH - 40 * share, 12 + 120 * share ** 1.2
    plank = ((1 / (0.06 + share)) * 6).astype(int) % 2
    wood = colour(96, 70, 54) * (0.55 + 0.25 * plank + 0.35 * fractal(random, HEIGHT, WIDTH, 60, 3))[..., None]
    on = ((abs(x - middle) < half) & (y >= far)).astype(float)
    picture = mix(picture, wood * (0.75 + 0.25 * (1 - share))[..., None], on)
    # What a lens and a sensor do.
    radius = numpy.hypot((x / WIDTH - 0.5) * 1.1, y / HEIGHT - 0.5)
    picture = picture * (1.05 - 0.55 * radius ** 2)[..., None] + random.normal(0, 3.2, (HEIGHT, WIDTH, 1))
    Image.fromarray(numpy.clip(picture, 0, 255).astype(numpy.uint8)).save(target, quality=78, optimize=True, progressive=True)


main(sys.argv[1] if len(sys.argv) > 1 else "photograph.jpg")
