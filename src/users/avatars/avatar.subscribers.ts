import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'

/** The file of a picture that another one, or none, took the place of. Keys are never used again. */
export const removeReplacedAvatar = subscriber({
  name: 'removeReplacedAvatar',
  on: 'avatar.replaced',
  priority: 'low',
  async afterCommit(services: Services, { data }) {
    await services.blobs[data.store].delete(data.key)
  },
})
