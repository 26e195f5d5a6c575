import { testPassword, type Forge } from './forge.ts'

/** Fields of a form; a list is sent as a repeated field. */
type Fields = Readonly<Record<string, string | readonly string[]>>

/** A browser without scripts: keeps cookies and sends forms with their hidden fields. */
export class Browser {
  readonly cookies = new Map<string, string>()

  constructor(readonly forge: Forge) {}

  /** Returns the browser of a signed-in person. */
  static async of(forge: Forge, name: string): Promise<Browser> {
    const browser = new Browser(forge)
    const { status } = await browser.signIn(name, testPassword)
    if (status !== 303) throw new Error(`${name} could not sign in: ${status}`)
    return browser
  }

  /** The value of the header `Cookie`. */
  cookieHeader = (): string => [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

  async send(method: string, path: string, fields?: Fields, headers: Record<string, string> = {}) {
    const answer = await this.forge.guest.send(method, path, undefined, {
      site: true,
      headers: {
        cookie: this.cookieHeader(),
        ...(fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
      ...(fields ? { raw: encodedForm(fields) } : {}),
    })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, fields: Fields) => this.send('POST', path, fields)

  /**
   * Opens a page, fills its form whose address contains `action`, and sends it.
   * @param fields values beside the hidden fields of the form
   */
  async submit(path: string, action: string, fields: Fields = {}) {
    const { text } = await this.get(path)
    const tag = [...text.matchAll(/<form\b[^>]*>/g)].find(([each]) => each.includes(action))?.[0]
    if (tag === undefined) throw new Error(`${path} has no form to ${action}`)
    const target = unescaped(/action="([^"]*)"/.exec(tag)?.[1] ?? path)
    return this.post(target, { ...hiddenFields(text, action), ...fields })
  }

  /** Sends a form with one file. */
  async upload(
    path: string,
    fields: Readonly<Record<string, string>>,
    { field, content, name = 'file' }: { field: string; content: Buffer; name?: string },
  ) {
    const form = new FormData()
    for (const [key, value] of Object.entries(fields)) form.set(key, value)
    form.set(field, new Blob([new Uint8Array(content)]), name)
    const answer = await fetch(this.forge.url + path, {
      method: 'POST',
      body: form,
      headers: { cookie: this.cookieHeader() },
      redirect: 'manual',
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  async csrf(path = '/user/login'): Promise<string> {
    const { text } = await this.send('GET', path)
    return /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  }

  async signIn(login: string, password: string, more: Record<string, string> = {}) {
    return this.send('POST', '/user/login', { _csrf: await this.csrf(), user_name: login, password, ...more })
  }
}

const encodedForm = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : value.map((each) => [name, each]),
    ),
  ).toString()

/** Decodes the text of an attribute. */
export const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Returns the hidden fields of the form whose address contains `action`. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const form = [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].find((each) => each[1]?.includes(action))
  const inputs = [...(form?.[2] ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

/** Returns what a browser sends of the form with an action, without a button: its fields as the page shows them. */
export function shownFields(html: string, action: string): Record<string, string[]> {
  const form = [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].find(
    ([, head = '', body = '']) => head.includes(`action="${action}"`) && body.includes('name="_version"'),
  )
  if (form?.[2] === undefined) throw new Error(`the page has no form that edits by ${action}`)
  const fields: Record<string, string[]> = {}
  const add = (name: string | undefined, value: string) => {
    if (name !== undefined && name !== '') (fields[unescaped(name)] ??= []).push(unescaped(value))
  }
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  const controls = /<input\b[^>]*>|<textarea\b([^>]*)>([\s\S]*?)<\/textarea>|<select\b([^>]*)>([\s\S]*?)<\/select>/g
  for (const [tag, area, text = '', select, options = ''] of form[2].matchAll(controls)) {
    if (/\sdisabled\b/.test(tag.slice(0, tag.indexOf('>')))) continue
    if (area !== undefined) add(attribute(area, 'name'), text.replace(/^\n/, ''))
    else if (select !== undefined) {
      const all = options.match(/<option\b[^>]*>/g) ?? []
      add(
        attribute(select, 'name'),
        attribute(all.find((each) => /\sselected\b/.test(each)) ?? all[0] ?? '', 'value') ?? '',
      )
    } else if (!/type="(?:checkbox|radio)"/.test(tag) || /\schecked\b/.test(tag)) {
      if (!/type="(?:file|submit)"/.test(tag)) add(attribute(tag, 'name'), attribute(tag, 'value') ?? '')
    }
  }
  return fields
}
