import type { Ctx } from '../../access/context.ts'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { attachmentsEnabled } from '../../access/requirements.ts'
import { uploadOf } from '../../attachments/upload.ts'
import type { AttachmentRow } from '../../db/tables/issues.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { addFileForNewText, addFileForText } from '../../issues/attachments/attachment.service.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { markdownOfFile } from '../shared/dropped-file.ts'
import { fromOwnPage, inBrowser, inSession } from '../shell/browser.requirements.ts'
import { siteHref } from '../ui/paths.ts'

const shared = {
  method: 'POST',
  base: 'site',
  scope: null,
  accepts: ['session'],
  requires: [
    inBrowser,
    inSession,
    inRepo,
    issuesOrPullsEnabled,
    attachmentsEnabled,
    notArchived,
    repoUnderQuota('size:assets:attachments:issues'),
    fromOwnPage,
  ],
  body: bytesOf('multipart/form-data'),
  reply: { 200: bytesOf('text/plain') },
} as const

/** Answers the Markdown that shows a file. */
const shown = ({ config }: Pick<Ctx, 'config'>, { name, uuid }: AttachmentRow) =>
  bytes('text/plain;charset=utf-8', markdownOfFile(name, siteHref(config, `/attachments/${uuid}`)))

/** Stores a dropped or pasted file for a text of an issue that is being written. */
export const uploadToIssue = operation({
  ...shared,
  path: '/{username}/{reponame}/issues/{index}/attachments',
  cost: 'usual',
  params: { index: pathNumber },
  async run({ ctx, params, call }) {
    const issue = await getReadableIssue(ctx, params.index)
    return shown(ctx, await addFileForText(ctx, issue, uploadOf(call, {})))
  },
})

/** Stores a dropped or pasted file for the text of a new issue or pull request. */
export const uploadToNewIssue = operation({
  ...shared,
  path: '/{username}/{reponame}/issues/attachments',
  cost: 'usual',
  run: async ({ ctx, call }) => shown(ctx, await addFileForNewText(ctx, uploadOf(call, {}))),
})
