import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'

/** Deletes the file of a replaced or removed picture. Keys are never reused. */
export const removeReplacedAvatar = subscriber({
  name: 'removeReplacedAvatar',
  on: 'avatar.replaced',
  priority: 'low',
  async afterCommit(services: Services, { data }) {
    await services.blobs[data.store].delete(data.key)
  },
})
