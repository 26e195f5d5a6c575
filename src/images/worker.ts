import { serveThread } from '../lib/thread-port.ts'
import type { AvatarJob, IdenticonJob, ImageAnswer, ImageJob } from './image-job.ts'
import { sniffPicture } from './image-job.ts'

/** The image worker: decodes and draws images, one at a time. */
serveThread((job: ImageJob): Promise<ImageAnswer> => (job.kind === 'avatar' ? makeAvatar(job) : drawIdenticon(job)))

async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // The cache of the decoder is useless: the server runs one job at a time and none twice.
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}

async function makeAvatar(job: AvatarJob): Promise<ImageAnswer> {
  const format = sniffPicture(job.bytes)
  if (format === undefined) return { ok: false, reason: 'not_an_image' }
  const sharp = await loadSharp()
  const input = { limitInputPixels: job.maxWidth * job.maxHeight, failOn: 'error' } as const
  try {
    const { width, height, exif } = await sharp(job.bytes, input).metadata()
    if (width > job.maxWidth || height > job.maxHeight) return { ok: false, reason: 'too_many_pixels' }
    // EXIF data may contain a location, so an image with metadata is written anew.
    if (job.bytes.length <= job.maxOriginBytes && exif === undefined) {
      // Decoding proves that the image is complete.
      await sharp(job.bytes, input).timeout({ seconds: job.timeoutSeconds }).stats()
      return { ok: true, picture: { bytes: job.bytes, contentType: `image/${format}` } }
    }
    const side = Math.min(job.sizePixels, width, height)
    const bytes = await sharp(job.bytes, input)
      .timeout({ seconds: job.timeoutSeconds })
      .autoOrient()
      .resize(side, side, { fit: 'cover' })
      .png()
      .toBuffer()
    return { ok: true, picture: { bytes, contentType: 'image/png' } }
  } catch (error) {
    // Errors of the decoder concern its input; they have no codes.
    const message = Error.isError(error) ? error.message : ''
    return { ok: false, reason: /pixel limit/i.test(message) ? 'too_many_pixels' : 'not_an_image' }
  }
}

async function drawIdenticon(job: IdenticonJob): Promise<ImageAnswer> {
  const { toPng } = await import('jdenticon')
  return { ok: true, picture: { bytes: toPng(job.seed, job.sizePixels), contentType: 'image/png' } }
}
