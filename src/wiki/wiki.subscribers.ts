import { subscriber } from '../events/subscriber.ts'
import { enqueue } from '../jobs/queue.ts'
import { indexWikiPages } from './index-wiki-pages.job.ts'

/** Only for those of wikis: references of code move all the time. */
export const indexChangedWiki = subscriber({
  name: 'indexChangedWiki',
  on: 'refs.updated',
  inTransaction: async (tx, { data }) => {
    if (data.kind === 'wiki') await enqueue(tx, indexWikiPages, { repoId: data.repoId })
  },
})
