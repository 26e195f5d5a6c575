/**
 * Makes s3rver store whole objects, as S3 promises: it answers before an object is written, and shows what has been written
 * of it so far. Node loads this module before s3rver.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import FilesystemStore from 's3rver/lib/stores/filesystem.js'

/** The folder of objects that are being written. */
const staging = '.staging'
/** The files of an object, the content last: what has content is there. */
const files = ['metadata.json', 'object.md5', 'object']

FilesystemStore.prototype.putObject = async function putObject({ bucket, key, content, metadata }) {
  const staged = randomUUID()
  const written = createHash('md5')
  let size = 0
  const measure = new Transform({
    transform(part, _, done) {
      written.update(part)
      size += part.length
      done(null, part)
    },
  })
  await mkdir(dirname(this.getResourcePath(bucket, key, 'object')), { recursive: true })
  await mkdir(dirname(this.getResourcePath(staging, staged, 'object')), { recursive: true })
  const source = Buffer.isBuffer(content) ? [content] : content
  await pipeline(source, measure, createWriteStream(this.getResourcePath(staging, staged, 'object')))
  const md5 = written.digest('hex')
  await this.putMetadata(staging, staged, metadata, md5)
  for (const file of files) {
    await rename(this.getResourcePath(staging, staged, file), this.getResourcePath(bucket, key, file))
  }
  return { size, md5 }
}
