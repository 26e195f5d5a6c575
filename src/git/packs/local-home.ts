import { NotFound } from '../../lib/errors.ts'
import { locate, type ObjectHome } from '../context.ts'
import { flushObjects } from '../files/flush.ts'

/** Objects are durable on the disk, where they were written. */
export const localHome: ObjectHome = {
  isElsewhere: false,
  make: () => Promise.reject(new NotFound('the repository does not exist', 'git_repository_missing')),
  async keep(context, key) {
    await flushObjects(context, locate(context, key).directory)
    return []
  },
  send: () => Promise.reject(new Error('packs are not stored elsewhere')),
  bring: () => Promise.resolve(),
}
