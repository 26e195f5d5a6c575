import type { RepoCtx } from '../access/context.ts'
import type { Requirement } from '../http/operation.ts'
import { pathNumber, pathText } from '../http/schema.ts'
import { getReadableState } from './issue.service.ts'
import { findIssueStateOfPath, type IssueState } from './issue.store.ts'

const issueParams = { username: pathText, reponame: pathText, index: pathNumber }

/**
 * Reads the revision state of the issue or pull request that the path names.
 * @throws NotFound when the viewer may not read it
 */
export const issueState: Requirement<
  RepoCtx,
  { readonly issueState: IssueState },
  typeof issueParams,
  IssueState | undefined
> = {
  codes: [],
  refuses: [404],
  params: issueParams,
  ahead: ({ db }, { params }) => findIssueStateOfPath(db, params.username, params.reponame, params.index),
  check: async (ctx, { params }, ahead) => ({ issueState: await getReadableState(ctx, params.index, await ahead) }),
}
