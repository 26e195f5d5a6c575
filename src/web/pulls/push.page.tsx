import { pathNumber } from '../../http/schema.ts'
import type { CommentId } from '../../lib/ids.ts'
import { getForcedPush } from '../../pulls/reviews/rewrite.service.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { rewriteTexts as texts } from '../languages/texts.ts'
import { page } from '../shell/page.tsx'
import { loadPull, readsPull } from './pull-page.ts'
import { PushView } from './rewrite.view.tsx'

/** What a forced push changed, commit by commit. */
export const pullPushPage = page({
  path: '/{username}/{reponame}/pulls/{index}/pushes/{comment}',
  twin: null,
  requires: readsPull,
  params: { index: pathNumber, comment: pathNumber },
  cost: 'expensive',
  frame: inRepositoryFrame('pulls'),
  async load({ ctx, params }) {
    const shared = await loadPull(ctx, params.index)
    return { ...shared, push: await getForcedPush(ctx, shared.view.pair, params.comment as CommentId) }
  },
  meta: ({ view }) => ({
    title: `${texts.pushTitle} · #${view.pair.issue.index}`,
    isUnlisted: true,
    withFurtherStyles: true,
  }),
  view: PushView,
})
