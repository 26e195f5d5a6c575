import type { Services } from '../access/context.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { ForgeClient } from '../testing/client.ts'
import { upload } from '../testing/upload.ts'

/** Acknowledged changes other than references, to be found after a crash. */
export class Acknowledged {
  readonly issues = new Set<number>()
  readonly comments = new Set<number>()
  readonly pulls = new Set<number>()
  readonly merges = new Set<number>()
  readonly uploads = new Set<string>()
  /** Names of revoked tokens. */
  readonly revoked = new Set<string>()

  get count(): number {
    const { issues, comments, pulls, merges, uploads, revoked } = this
    return [issues, comments, pulls, merges, uploads, revoked].reduce((sum, each) => sum + each.size, 0)
  }

  /** Acknowledged changes that are missing, and revoked tokens that exist. */
  async missing({ db, blobs }: Services, repo: RepoRow): Promise<string[]> {
    const wrong: string[] = []
    const look = <Key>(kind: string, acknowledged: ReadonlySet<Key>, found: readonly Key[]): void => {
      const there = new Set(found)
      for (const key of acknowledged) if (!there.has(key)) wrong.push(`the ${kind} ${String(key)} is lost`)
    }
    const issues = await db.selectFrom('issue').select(['index', 'is_pull']).where('repo_id', '=', repo.id).execute()
    const indexes = (isPull: boolean) => issues.filter((row) => row.is_pull === isPull).map((row) => row.index)
    look('issue', this.issues, indexes(false))
    look('pull request', this.pulls, indexes(true))
    const merged = await db
      .selectFrom('pull')
      .select('index')
      .where('repo_id', '=', repo.id)
      .where('is_merged', '=', true)
      .execute()
    look(
      'merge of',
      this.merges,
      merged.map((row) => row.index),
    )
    const comments = await db.selectFrom('comment').select('id').execute()
    look(
      'comment',
      this.comments,
      comments.map((row) => Number(row.id)),
    )
    const files = await db.selectFrom('attachment').select(['uuid', 'blob_key', 'size_bytes']).execute()
    look(
      'upload',
      this.uploads,
      files.map((row) => row.uuid),
    )
    for (const { uuid, blob_key: key, size_bytes: size } of files) {
      const stored = await blobs.attachments.stat(key)
      if (stored?.sizeBytes !== size) wrong.push(`the file of the upload ${uuid} is ${stored?.sizeBytes} bytes long`)
    }
    const tokens = await db.selectFrom('access_token').select('name').execute()
    for (const { name } of tokens) if (this.revoked.has(name)) wrong.push(`the token ${name} is valid again`)
    return wrong
  }
}

/** Opens issues with comments and files, makes and revokes tokens, and records acknowledged changes. */
export async function writeOnce(
  client: ForgeClient,
  api: string,
  name: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const issue = await client.post(`${api}/issues`, { title: name })
  if (issue.status !== 201) return
  acknowledged.issues.add(issue.json.number)
  const at = `${api}/issues/${issue.json.number}`
  const comment = await client.post(`${at}/comments`, { body: `about #1 and ${name}` })
  if (comment.status === 201) acknowledged.comments.add(comment.json.id)
  const file = await client.post(`${at}/assets`, undefined, upload(`${name}.txt`, name.repeat(100)))
  if (file.status === 201) acknowledged.uploads.add(file.json.uuid)
  const token = await client.post('/users/root/tokens', { name, scopes: ['read:user'] })
  if (token.status !== 201) return
  if ((await client.delete(`/users/root/tokens/${name}`)).status === 204) acknowledged.revoked.add(name)
}
