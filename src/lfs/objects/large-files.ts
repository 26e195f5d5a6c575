import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LargeFiles } from '../../access/contributions/large-files.ts'
import { findObject, storeObject } from './object.service.ts'
import { formatPointer, maxPointerBytes, parsePointer } from './pointer.rules.ts'

/** LFS objects for features that show and change files. */
export const lfsFiles: LargeFiles = {
  maxPointerBytes,
  filter: 'lfs',
  isOn: ({ config }) => config.server.lfsStartServer,
  isPointer: (file) => parsePointer(file) !== undefined,
  async find(ctx, file) {
    if (!ctx.config.server.lfsStartServer) return undefined
    const pointer = parsePointer(file)
    const found = pointer && (await findObject(ctx, ctx.repo, pointer))
    return found && { id: pointer.oid, ...found }
  },
  async keep(ctx, content) {
    const isInMemory = Buffer.isBuffer(content)
    const sizeBytes = isInMemory ? content.length : content.sizeBytes
    // Like the LFS filter: an empty file needs no object, and a pointer already is one.
    if (sizeBytes === 0 || (isInMemory && parsePointer(content))) return content
    const open = () => (isInMemory ? Readable.from([content]) : content.open())
    const hash = createHash('sha256')
    await pipeline(open(), hash)
    const pointer = { oid: hash.digest('hex'), sizeBytes }
    if (!(await findObject(ctx, ctx.repo, pointer))) await storeObject(ctx, pointer, open(), undefined)
    return formatPointer(pointer)
  },
}
