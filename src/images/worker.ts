import { serveThread } from '../lib/thread-port.ts'
import type { AvatarJob, IdenticonJob, ImageAnswer, ImageJob } from './image-job.ts'
import { sniffPicture } from './image-job.ts'

/** The worker thread: decodes and draws pictures away from the server's thread, one at a time. */
serveThread((job: ImageJob): Promise<ImageAnswer> => (job.kind === 'avatar' ? makeAvatar(job) : drawIdenticon(job)))

async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // The server runs one job at a time and none twice.
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
    // A camera's notes tell where a picture was taken, so pictures with such are written anew.
    if (job.bytes.length <= job.maxOriginBytes && exif === undefined) {
      // Decoding it once proves that it is whole.
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
    // The decoder's errors are about the bytes it was given; it has no codes for them.
    const message = Error.isError(error) ? error.message : ''
    return { ok: false, reason: /pixel limit/i.test(message) ? 'too_many_pixels' : 'not_an_image' }
  }
}

async function drawIdenticon(job: IdenticonJob): Promise<ImageAnswer> {
  const { toPng } = await import('jdenticon')
  return { ok: true, picture: { bytes: toPng(job.seed, job.sizePixels), contentType: 'image/png' } }
}
