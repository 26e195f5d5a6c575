import { subscriber } from '../events/subscriber.ts'
import { unlinkAllFrom } from './package.store.ts'

/** Packages are linked to repositories of their own owner alone. */
export const unlinkTransferred = subscriber({
  name: 'unlinkTransferred',
  on: 'repo.transferred',
  inTransaction: async (tx, { data }) => void (await unlinkAllFrom(tx, data.repoId)),
})
