import type { Services } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import type { Picture } from '../../images/images.ts'

/** Side of a generated picture, in pixels. */
const sizePixels = 256

const memory = perApplication((caches) => ({
  drawn: caches.open<string, Picture>('pictures', { sizeOf: ({ bytes }, seed) => bytes.byteLength + seed.length }),
  underWay: new Map<string, Promise<Picture>>(),
}))

/** Returns the picture generated from a text. Concurrent requests share one computation. */
export async function getIdenticon(services: Services, seed: string): Promise<Picture> {
  const { drawn, underWay } = memory(services)
  const known = drawn.get(seed) ?? underWay.get(seed)
  if (known) return known
  const drawing = services.images.identicon(seed, sizePixels)
  underWay.set(seed, drawing)
  try {
    const picture = await drawing
    drawn.set(seed, picture)
    return picture
  } finally {
    underWay.delete(seed)
  }
}
