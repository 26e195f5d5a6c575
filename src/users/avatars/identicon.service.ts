import type { Services } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import type { Picture } from '../../images/images.ts'

/** Sides of generated pictures, in pixels: whole ones, and those beside a name. */
const sides = { whole: 256, small: 80 } as const

/** Returns which generated picture is large enough for a side in pixels. */
export const sideFor = (pixels: number): keyof typeof sides => (pixels <= sides.small ? 'small' : 'whole')

const memory = perApplication((caches) => ({
  drawn: caches.open<string, Picture>('pictures', { sizeOf: ({ bytes }, key) => bytes.byteLength + key.length }),
  underWay: new Map<string, Promise<Picture>>(),
}))

/** Returns the picture generated from a text. Concurrent requests share one computation. */
export async function getIdenticon(
  services: Services,
  seed: string,
  side: keyof typeof sides = 'whole',
): Promise<Picture> {
  const key = `${side} ${seed}`
  const { drawn, underWay } = memory(services)
  const known = drawn.get(key) ?? underWay.get(key)
  if (known) return known
  const drawing = services.images.identicon(seed, sides[side])
  underWay.set(key, drawing)
  try {
    const picture = await drawing
    drawn.set(key, picture)
    return picture
  } finally {
    underWay.delete(key)
  }
}
