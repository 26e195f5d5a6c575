import { OverQuota, NotFound, SudoForbidden, type Refusal } from '../lib/errors.ts'

/** A rendered refusal. */
export interface ErrorReply {
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The instance as others know it. */
export interface Site {
  /** Public address, ending with a slash. */
  readonly url: string
  readonly name: string
  /** Address of the API documentation, or of the site where the documentation is switched off. */
  readonly apiDocsUrl: string
}

/** What is known of every request, even where no operation is found at its address. */
export interface CallHead {
  readonly id: string
  readonly method: string
  /** Path and query as sent, below the site root. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly site: Site
}

/** A request that is refused. */
export interface RefusedCall extends CallHead {
  readonly params: Readonly<Record<string, string | number>>
}

/**
 * How the refusals of a surface look: the API answers JSON, git plain text, each registry in its own way. Headers that
 * belong to a refusal are made here as well, as the challenge of a 401 with its realm, service and scope.
 */
export interface ErrorForm {
  readonly render: (refusal: Refusal, call: RefusedCall) => ErrorReply
}

export const jsonType = 'application/json;charset=utf-8'

/**
 * The API's error body: `{message, url, code}`. 404 adds `errors`, over quota adds the owner, and forbidden sudo has `message`
 * only (contract, Errors).
 */
export const apiErrors: ErrorForm = {
  render(refusal, { site }) {
    const url = site.apiDocsUrl
    const { message, code } = refusal
    const body =
      refusal instanceof SudoForbidden
        ? { message }
        : refusal instanceof OverQuota
          ? { message, ...refusal.data, url, code }
          : refusal instanceof NotFound
            ? { message, url, errors: refusal.data['errors'] ?? [], code }
            : { message, url, code, ...(refusal.data['fields'] as object | undefined) }
    return { contentType: jsonType, body: JSON.stringify(body) }
  },
}

/** Refusals as one line of text, for git and downloads; browsers get a page instead (`ServerOptions.pageErrors`). */
export const textErrors: ErrorForm = {
  render: (refusal) => ({ contentType: 'text/plain;charset=utf-8', body: `${refusal.message}\n` }),
}

/** Refusals as pages; the server puts the pages of the instance in its place (`ServerOptions.pageErrors`). */
export const pageErrors: ErrorForm = { render: (refusal, call) => textErrors.render(refusal, call) }

/** Returns whether the client accepts pages, as browsers do. */
export const wantsPage = ({ headers }: Pick<RefusedCall, 'headers'>): boolean =>
  String(headers.accept ?? '').includes('text/html')
