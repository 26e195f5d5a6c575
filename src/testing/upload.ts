import type { SendOptions } from './client.ts'

/** A form with one file in the field `attachment`, as `options` of a request. */
export function upload(name: string, content: string): SendOptions & { readonly raw: FormData } {
  const raw = new FormData()
  raw.set('attachment', new File([content], name))
  return { raw }
}
