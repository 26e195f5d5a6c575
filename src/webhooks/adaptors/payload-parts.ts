/** A payload as it was made and stored; what of it is there depends on the event. */
export type WebhookPayload = Readonly<Record<string, unknown>>

/** What an adaptor is given: the event by both its names, and the payload. */
export interface ToldEvent {
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

/** The parts of payloads that adaptors read; which are there, the event says. */
export interface Parts {
  readonly action: string
  readonly sender: PersonPart
  /** Null where a package is linked to none. */
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
  /** Of runs, whose payloads have no other parts. */
  readonly run?: {
    readonly title: string
    readonly workflow_id: string
    readonly prettyref: string
    readonly html_url: string
    readonly repository: RepoPart
    readonly trigger_user: PersonPart
  }
}

/** The parts; the event says which of them may be read. Runs name their repository and who caused them inside. */
export function partsOf({ payload }: ToldEvent): Parts {
  const parts = payload as unknown as Parts
  return parts.run ? { ...parts, repository: parts.run.repository, sender: parts.run.trigger_user } : parts
}
