import { LRUCache } from 'lru-cache'
import type { Services } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import { Unavailable } from '../../lib/errors.ts'
import type { Images, Picture } from '../../images/images.ts'

/** Side of a drawn picture, in pixels. */
const sizePixels = 256

/** Memory for drawn pictures; one has about 2 KB. */
const maxCacheBytes = 4 << 20

const drawnPictures = perApplication(
  () =>
    new LRUCache<string, Picture, Images>({
      maxSize: maxCacheBytes,
      sizeCalculation: (picture) => picture.bytes.byteLength,
      fetchMethod: (seed, _stale, { context }) => context.identicon(seed, sizePixels),
    }),
)

/** The picture that is drawn from a text: the same for the same text, and drawn once for those who ask at once. */
export async function getIdenticon(services: Services, seed: string): Promise<Picture> {
  const picture = await drawnPictures(services).fetch(seed, { context: services.images })
  if (!picture) throw new Unavailable('the picture can not be drawn now', 'images_busy')
  return picture
}
