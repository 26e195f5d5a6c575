/** A stored payload; its members depend on the event. */
export type WebhookPayload = Readonly<Record<string, unknown>>

/** The input of an adaptor: both names of the event, and its payload. */
export interface DeliveredPayload {
  readonly event: string
  readonly eventType: string
  readonly payload: WebhookPayload
}

export interface PersonPart {
  readonly login: string
  readonly full_name: string
  readonly html_url: string
  readonly avatar_url: string
}

export interface RepoPart {
  readonly full_name: string
  readonly html_url: string
}

/** An issue or a pull request. */
export interface IssuePart {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly html_url: string
  readonly user: PersonPart | null
  readonly milestone: { readonly title: string } | null
  readonly assignees: readonly PersonPart[] | null
  readonly merged?: boolean
}

export interface CommitPart {
  readonly id: string
  readonly url: string
  readonly message: string
  readonly author: { readonly name: string }
}

/** The members of payloads that adaptors read; the event decides which exist. */
export interface Parts {
  readonly action: string
  readonly sender: PersonPart
  /** Null for a package without a linked repository. */
  readonly repository: RepoPart
  readonly issue: IssuePart
  readonly pull_request: IssuePart
  readonly comment: { readonly html_url: string; readonly body: string }
  readonly review: { readonly type: string; readonly content: string } | null
  readonly release: { readonly tag_name: string; readonly html_url: string; readonly body: string }
  readonly ref: string
  readonly ref_type: string
  readonly compare_url: string
  readonly commits: readonly CommitPart[]
  readonly total_commits: number
  readonly forkee: RepoPart
  readonly page: string
  readonly package: { readonly name: string; readonly version: string; readonly html_url: string }
  readonly organization: PersonPart
  /** Payloads of runs have no other members. */
  readonly run?: {
    readonly title: string
    readonly workflow_id: string
    readonly prettyref: string
    readonly html_url: string
    readonly repository: RepoPart
    readonly trigger_user: PersonPart
  }
}

/** Returns the members of a payload; repository and sender of a run are taken from inside the run. */
export function partsOf({ payload }: DeliveredPayload): Parts {
  const parts = payload as unknown as Parts
  return parts.run ? { ...parts, repository: parts.run.repository, sender: parts.run.trigger_user } : parts
}
