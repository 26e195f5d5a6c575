import type { Forge } from '../../testing/forge.ts'
import { collaborator, commitFiles } from '../../testing/given-pull.ts'

const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`)
const textOf = (all: readonly string[]) => `${all.join('\n')}\n`

/** A pull request of alice with two changes in a file and a new file, which has an open conversation. */
export async function givenChanges(forge: Forge) {
  const repo = await forge.given.repo({ owner: 'alice' })
  await collaborator(forge, repo, 'bob')
  await commitFiles(forge, repo, 'main', { 'first.txt': textOf(lines) })
  const changed = lines.map((line, at) => (at === 2 || at === 24 ? `${line} changed` : line))
  await commitFiles(forge, repo, 'topic', { 'first.txt': textOf(changed), 'second.txt': textOf(['one', 'two']) })
  const { json } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Two files' })
  const api = `${repo.api}/pulls/${json.number}`
  const comments = [{ path: 'second.txt', new_position: 1, body: 'Why one?' }]
  await forge.as('alice').must('POST', `${api}/reviews`, { event: 'COMMENT', body: '', comments })
  return {
    repo,
    api,
    at: `/${repo.fullName}/pulls/${json.number}`,
    files: `/${repo.fullName}/pulls/${json.number}/files`,
  }
}
