import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'

/** Deletes the file of a picture that was replaced or removed. Keys are never used again. */
export const removeReplacedAvatar = subscriber({
  name: 'removeReplacedAvatar',
  on: 'avatar.replaced',
  priority: 'low',
  async afterCommit(services: Services, { data }) {
    await services.blobs[data.store].delete(data.key)
  },
})
