import { subscriber } from '../events/subscriber.ts'
import { enqueue } from '../jobs/queue.ts'
import { indexWikiPages } from './index-wiki-pages.job.ts'

/** Queues the index job for changed wikis. Other references need no job. */
export const indexChangedWiki = subscriber({
  name: 'indexChangedWiki',
  on: 'refs.updated',
  inTransaction: async (tx, { data }) => {
    if (data.kind === 'wiki') await enqueue(tx, indexWikiPages, { repoId: data.repoId })
  },
})
