import type { SignedInCtx } from '../../../access/context.ts'
import type { UserRow } from '../../../db/tables/accounts.ts'
import { Invalid } from '../../../lib/errors.ts'
import { listOwnersForNewRepos } from '../../../orgs/membership.service.ts'

/** Returns the chosen owner of a new repository. Throws `Invalid` for an account that the form does not offer. */
export async function chosenOwner(ctx: SignedInCtx, name: string | undefined): Promise<UserRow> {
  if (name === undefined || name === '' || name === ctx.viewer.user.name) return ctx.viewer.user
  const owner = (await listOwnersForNewRepos(ctx)).find((each) => each.name === name)
  if (!owner) throw new Invalid(`you may not create repositories for ${name}`, 'owner_not_offered')
  return owner
}

/** Maps refusals of a new repository to the fields of its forms. */
export const problemFields = {
  name_invalid: 'name',
  repo_name_taken: 'name',
  owner: 'owner',
  org_: 'owner',
  repo_limit: 'owner',
  fork_exists: 'owner',
  branch_name: 'default_branch',
  unknown_gitignore: 'gitignores',
  license_unknown: 'license',
  label_set: 'issue_labels',
  address_invalid: 'clone_addr',
  remote_: 'clone_addr',
} as const
