import assert from 'node:assert/strict'
import type { Forge } from '../testing/forge.ts'

/** Commits files (undefined: removes one) through the API, in one commit, and waits for what follows. */
export async function commitFiles(
  forge: Forge,
  repoApi: string,
  files: Readonly<Record<string, string | undefined>>,
  how: { readonly message?: string; readonly branch?: string; readonly newBranch?: string; readonly as?: string } = {},
): Promise<string> {
  const { message = 'change', branch = 'main', newBranch, as = 'alice' } = how
  const operations = Object.entries(files).map(([path, content]) =>
    content === undefined
      ? { operation: 'delete', path }
      : { operation: 'create', path, content: Buffer.from(content).toString('base64') },
  )
  const made = await forge
    .as(as)
    .must('POST', `${repoApi}/contents`, { branch, new_branch: newBranch, message, files: operations })
  await forge.settle()
  return made.json.commit.sha
}

/** A workflow with one job of one step, or with the jobs given as YAML. */
export const workflow = (
  on: string,
  jobs = 'build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hello',
): string => `on: ${on}\njobs:\n  ${jobs}\n`

/** The runs of a repository as `event workflow head title status`, in the order of their numbers. */
export async function runsOf(forge: Forge, repoApi: string, as = 'alice'): Promise<string[]> {
  const reply = await forge.as(as).get(`${repoApi}/actions/runs?limit=50`)
  assert.equal(reply.status, 200)
  return reply.json.workflow_runs.map(
    (run: Record<string, string>) => `${run['event']} ${run['workflow_id']} ${run['head_branch']} ${run['status']}`,
  )
}
