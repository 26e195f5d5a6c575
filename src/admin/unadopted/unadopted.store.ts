import type { Db } from '../../db/database.ts'

/** Returns accounts by lower-case name, each with the lower-case names of its repositories among the given ones. */
export async function loadKnownNames(
  db: Db,
  folders: readonly { readonly owner: string; readonly name: string }[],
): Promise<{ readonly owners: ReadonlySet<string>; readonly repos: ReadonlySet<string> }> {
  if (folders.length === 0) return { owners: new Set(), repos: new Set() }
  const owners = [...new Set(folders.map(({ owner }) => owner))]
  const names = [...new Set(folders.map(({ name }) => name))]
  const [users, repos] = await Promise.all([
    db.selectFrom('user').select('lower_name').where('lower_name', 'in', owners).execute(),
    db
      .selectFrom('repo')
      .innerJoin('user', 'user.id', 'repo.owner_id')
      .select(['user.lower_name as owner', 'repo.lower_name as name'])
      .where('user.lower_name', 'in', owners)
      .where('repo.lower_name', 'in', names)
      .execute(),
  ])
  return {
    owners: new Set(users.map((user) => user.lower_name)),
    repos: new Set(repos.map(({ owner, name }) => `${owner}/${name}`)),
  }
}
