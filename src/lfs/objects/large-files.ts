import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
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
    // Like the LFS filter: an empty file needs no object, and a pointer already is one.
    if (content.length === 0 || parsePointer(content)) return content
    const pointer = { oid: createHash('sha256').update(content).digest('hex'), sizeBytes: content.length }
    if (!(await findObject(ctx, ctx.repo, pointer))) {
      await storeObject(ctx, pointer, Readable.from([content]), undefined)
    }
    return formatPointer(pointer)
  },
}
