import type { Forge } from '../../testing/forge.ts'
import { collaborator, givenPull } from '../../testing/given-pull.ts'

/** A pull request of alice in a repository where bob may write. */
export async function withPull(forge: Forge, more: { readonly private?: boolean } = {}) {
  const repo = await forge.given.repo({ owner: 'alice', ...more })
  await collaborator(forge, repo, 'bob')
  const pull = await givenPull(forge, { repo })
  const at = `/${repo.fullName}/pulls/${pull.number}`
  return { repo, pull, at, json: async () => (await forge.as('alice').get(pull.api)).json }
}
