import type { Ctx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import type { Picture } from '../../images/images.ts'

/** Sides of generated pictures, in pixels: whole ones, and those beside a name. */
const sides = { whole: 256, small: 80 } as const

/** Returns which generated picture is large enough for a side in pixels. */
export const sideFor = (pixels: number): keyof typeof sides => (pixels <= sides.small ? 'small' : 'whole')

const memory = perApplication((caches) => ({
  drawn: caches.open<string, Picture>('pictures', { sizeOf: ({ bytes }, key) => bytes.byteLength + key.length }),
}))

/** Returns the picture generated from a text. Concurrent requests share one computation. */
export async function getIdenticon(ctx: Ctx, seed: string, side: keyof typeof sides = 'whole'): Promise<Picture> {
  const key = `${side} ${seed}`
  const { drawn } = memory(ctx)
  const known = drawn.get(key)
  if (known) return known
  const picture = await ctx.images.identicon(ctx, seed, sides[side])
  drawn.set(key, picture)
  return picture
}
