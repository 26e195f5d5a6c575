import type { Readable } from 'node:stream'
import type { Bound, Page } from '../lib/paging.ts'

/** Response header that names the bound of a list. */
export const boundHeader = 'X-Result-Bounded'

/** A reply: status, JSON body or none, and headers. */
export interface Reply<Status extends number, Body> {
  readonly kind: 'json'
  readonly status: Status
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
  /** Set for a page of a list; the responder writes the paging headers. */
  readonly paging?: {
    readonly page: Page
    readonly total: number
    readonly link: boolean
    readonly bound?: Bound | undefined
    /** Cursor of the next page, for `Link: rel=next`. */
    readonly cursor?: string | undefined
    /** Number of rows in the body. */
    readonly shown: number
  }
}

/** A reply of bytes. */
export interface StreamReply<Status extends number> {
  readonly kind: 'bytes'
  readonly status: Status
  readonly contentType: string
  readonly content: Readable | Buffer | string
  /** Size of the content, if known. */
  readonly sizeBytes?: number
  readonly headers?: Readonly<Record<string, string>>
}

const reply = <Status extends number, Body>(
  status: Status,
  body: Body,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, Body> => (headers ? { kind: 'json', status, body, headers } : { kind: 'json', status, body })

export const ok = <Body>(body: Body, headers?: Readonly<Record<string, string>>) => reply(200, body, headers)
export const created = <Body>(body: Body, headers?: Readonly<Record<string, string>>) => reply(201, body, headers)
export const accepted = <Body>(body: Body) => reply(202, body)
/** 201 with the result; some clients ignore a body of this status. */
export const resetContent = <Body>(body: Body) => reply(205, body)
export const noContent = (headers?: Readonly<Record<string, string>>) => reply(204, undefined, headers)
/** A success without a body and with a status other than 204. */
export const empty = <Status extends number>(status: Status, headers?: Readonly<Record<string, string>>) =>
  reply(status, undefined, headers)
/** A reply with another declared status and body. */
export const withStatus = <Status extends number, Body>(status: Status, body: Body) => reply(status, body)
export const redirect = <Status extends 301 | 302 | 303 | 307>(status: Status, location: string) =>
  reply(status, undefined, { location })

/** Returns the headers of a list without pages: when the list is cut, that a bound limited the answer. */
export const headersOfCut = (isCut: boolean): Readonly<Record<string, string>> =>
  isCut ? { [boundHeader]: 'rows' satisfies Bound, 'Access-Control-Expose-Headers': boundHeader } : {}

/**
 * Returns the reply for one page of a list.
 * @param total number of rows on all pages, for `X-Total-Count`
 * @param options.bound the bound that limited the list, for `X-Result-Bounded`
 * @param options.cursor cursor of the next page
 * @param options.shown number of rows in the body; needed when the body is not an array
 * @param options.link false for lists without a `Link` header (`test/contract/pagination.json`)
 */
export const paged = <Body>(
  body: Body,
  page: Page,
  total: number,
  options: {
    link?: boolean
    bound?: Bound | undefined
    cursor?: string | undefined
    shown?: number
    headers?: Readonly<Record<string, string>>
  } = {},
): Reply<200, Body> => ({
  kind: 'json',
  status: 200,
  body,
  ...(options.headers ? { headers: options.headers } : {}),
  paging: {
    page,
    total,
    link: options.link ?? true,
    bound: options.bound,
    cursor: options.cursor,
    shown: options.shown ?? (Array.isArray(body) ? body.length : 0),
  },
})

/** A success with a buffer or a stream as its body. */
export const bytes = <Status extends number = 200>(
  contentType: string,
  content: Readable | Buffer | string,
  options: { status?: Status; sizeBytes?: number; headers?: Readonly<Record<string, string>> } = {},
): StreamReply<Status> => ({
  kind: 'bytes',
  status: options.status ?? (200 as Status),
  contentType,
  content,
  ...(options.sizeBytes === undefined ? {} : { sizeBytes: options.sizeBytes }),
  ...(options.headers ? { headers: options.headers } : {}),
})
