import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { Invalid, TooLarge, Unavailable } from '../lib/errors.ts'
import { WorkBudget } from '../lib/work-budget.ts'
import { type AvatarLimits, createImages, type Images } from './images.ts'

const asker = { budget: new WorkBudget() }

const limits: AvatarLimits = {
  maxFileBytes: 1_048_576,
  maxOriginBytes: 5_000,
  maxWidth: 1000,
  maxHeight: 1000,
  sizePixels: 128,
}

async function withImages(
  use: (images: Images) => Promise<void>,
  options = { timeoutMs: 20_000, maxQueue: 8 },
): Promise<void> {
  const images = createImages(options)
  try {
    await use(images)
  } finally {
    await images.close()
  }
}

/** Noise, which compresses badly. */
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: 'red', noise: { type: 'gaussian', mean: 128, sigma: 50 } },
  })
const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: 'red' } })

test('a large avatar becomes a square PNG, a small one stays as it is', () =>
  withImages(async (images) => {
    const large = await images.avatar(asker, await noise(400, 200).jpeg().toBuffer(), limits)
    assert.equal(large.contentType, 'image/png')
    const { width, height, format } = await sharp(large.bytes).metadata()
    assert.deepEqual([width, height, format], [128, 128, 'png'])
    for (const format of ['png', 'gif', 'webp', 'jpeg'] as const) {
      const small = await plain(40, 30).toFormat(format).toBuffer()
      const kept = await images.avatar(asker, small, limits)
      assert.equal(kept.contentType, `image/${format}`)
      assert.deepEqual(Buffer.from(kept.bytes), small)
    }
  }))

test('what a camera noted about a picture is dropped, after it was turned upright', () =>
  withImages(async (images) => {
    const turned = await plain(40, 30)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withMetadata({ orientation: 6 })
      .toBuffer()
    const picture = await images.avatar(asker, turned, limits)
    const { exif, orientation, format } = await sharp(picture.bytes).metadata()
    assert.deepEqual([exif, orientation, format], [undefined, undefined, 'png'])
  }))

test('refused: too many bytes, too many pixels, no picture, half a picture, other formats', () =>
  withImages(async (images) => {
    const large = await noise(400, 200).png().toBuffer()
    await assert.rejects(images.avatar(asker, large, { ...limits, maxFileBytes: 1000 }), TooLarge)
    const code = (expected: string) => (error: unknown) => error instanceof Invalid && error.code === expected
    await assert.rejects(images.avatar(asker, await plain(1001, 10).png().toBuffer(), limits), code('too_many_pixels'))
    // A few kilobytes that would take many megabytes of memory.
    const bomb = await plain(4_000, 4_000).png({ compressionLevel: 9 }).toBuffer()
    assert.ok(bomb.length < limits.maxFileBytes)
    await assert.rejects(images.avatar(asker, bomb, limits), code('too_many_pixels'))
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    )
    const tiff = await plain(10, 10).tiff().toBuffer()
    for (const bytes of [
      Buffer.from(''),
      Buffer.from('hello'),
      svg,
      tiff,
      large.subarray(0, 3000),
      large.subarray(0, 10),
    ]) {
      await assert.rejects(images.avatar(asker, bytes, limits), code('not_an_image'))
    }
    // The thread has survived all of that.
    assert.equal((await images.identicon(asker, 'x', 64)).contentType, 'image/png')
  }))

test('identicons: the same for the same text, of the size that was asked for', () =>
  withImages(async (images) => {
    const [one, same, other] = await Promise.all(['ann', 'ann', 'bob'].map((seed) => images.identicon(asker, seed, 64)))
    assert.deepEqual(one, same)
    assert.notDeepEqual(one, other)
    const { width, height } = await sharp(one?.bytes).metadata()
    assert.deepEqual([width, height], [64, 64])
  }))

test('too many wait, or one takes too long: refused, and the next one works', async () => {
  await withImages(
    async (images) => {
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, (_, index) => images.identicon(asker, `${index}`, 32)),
      )
      const refused = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
      assert.ok(refused.length === 3 && refused.every((error) => error instanceof Unavailable))
    },
    { timeoutMs: 20_000, maxQueue: 2 },
  )
  await withImages(
    async (images) => {
      // Starting the thread alone takes longer than this.
      await assert.rejects(
        images.identicon(asker, 'x', 32),
        (error) => error instanceof Unavailable && error.code === 'images_timeout',
      )
      await images.close()
      await assert.rejects(images.identicon(asker, 'x', 32), Unavailable)
    },
    { timeoutMs: 1, maxQueue: 2 },
  )
})
