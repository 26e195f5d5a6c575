import type { ForgeClient } from './client.ts'
import { base64 } from './samples.ts'

/** A repository of a test. */
export interface GivenRepo {
  readonly owner: string
  readonly name: string
  /** `owner/name`. */
  readonly fullName: string
  /** Path below the API root. */
  readonly api: string
}

/** An issue of a test. */
export interface GivenIssue {
  readonly repo: GivenRepo
  readonly number: number
  /** Path below the API root. */
  readonly api: string
}

/** Creates test data through the API, with unique names. */
export class Given {
  #count = 0

  constructor(readonly forge: { as(name: string): ForgeClient }) {}

  /** Returns a unique name. */
  name(prefix: string): string {
    this.#count += 1
    return `${prefix}${this.#count}`
  }

  /** Creates a repository, by default with a README on `main`. Its one commit has the `files` instead, texts by path. */
  async repo(
    options: {
      readonly owner?: string
      readonly name?: string
      readonly files?: Readonly<Record<string, string>>
    } & Readonly<Record<string, unknown>> = {},
  ): Promise<GivenRepo> {
    const { owner = 'alice', name = this.name('repo'), files, ...more } = options
    const client = this.forge.as(owner)
    await client.must('POST', '/user/repos', { name, auto_init: files === undefined, ...more })
    const api = `/repos/${owner}/${name}`
    if (files !== undefined) {
      await client.must('POST', `${api}/contents`, {
        message: 'Initial commit',
        files: Object.entries(files).map(([path, text]) => ({ operation: 'create', path, content: base64(text) })),
      })
    }
    return { owner, name, fullName: `${owner}/${name}`, api }
  }

  /** Creates an issue, by default by the owner of a new repository. */
  async issue(
    options: { readonly repo?: GivenRepo; readonly poster?: string } & Readonly<Record<string, unknown>> = {},
  ): Promise<GivenIssue> {
    const { repo = await this.repo(), poster = repo.owner, ...more } = options
    const { json } = await this.forge
      .as(poster)
      .must('POST', `${repo.api}/issues`, { title: this.name('issue '), ...more })
    return { repo, number: json.number, api: `${repo.api}/issues/${json.number}` }
  }

  /** Creates an organization. */
  async org(
    options: { readonly owner?: string; readonly name?: string } & Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const { owner = 'alice', name = this.name('org'), ...more } = options
    await this.forge.as(owner).must('POST', '/orgs', { username: name, ...more })
    return name
  }
}
