import { OverQuota, NotFound, AccountRefused, type Refusal } from '../lib/errors.ts'

/** What a refusal looks like on the wire. */
export interface ErrorReply {
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How the refusals of a surface look: the API answers JSON, git plain text, each registry in its own way. */
export interface ErrorForm {
  /** @param siteUrl the public address of the instance, ending with a slash */
  readonly render: (refusal: Refusal, siteUrl: string) => ErrorReply
}

export const jsonType = 'application/json;charset=utf-8'

/** The API's error body: `{message, url, code}`; 404 adds `errors`, over quota adds the owner (contract, Errors). */
export const apiErrors: ErrorForm = {
  render(refusal, siteUrl) {
    const url = `${siteUrl}api/swagger`
    const { message, code } = refusal
    const body =
      refusal instanceof AccountRefused
        ? { message, code }
        : refusal instanceof OverQuota
          ? { message, ...refusal.data, url, code }
          : refusal instanceof NotFound
            ? { message, url, errors: refusal.data['errors'] ?? [], code }
            : { message, url, code, ...(refusal.data['fields'] as object | undefined) }
    return { contentType: jsonType, body: JSON.stringify(body) }
  },
}

/** Refusals as one line of text, for git and downloads. */
export const textErrors: ErrorForm = {
  render: (refusal) => ({ contentType: 'text/plain;charset=utf-8', body: `${refusal.message}\n` }),
}
