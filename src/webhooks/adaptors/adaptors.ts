import { escapeHtml } from '../../markup/html.ts'
import type { HookType } from '../hook.rules.ts'
import { partsOf, type DeliveredPayload } from './payload-parts.ts'
import { commitLines, cutText, plainLink, shortId, messageOf, type Message } from './message.ts'
import { wordTable } from '../../lib/word-table.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Returns the message of an event in the format of a service; undefined when there is nothing to send. */
export type Adaptor = (event: DeliveredPayload, metadata: unknown) => object | undefined

/** Returns an adaptor that formats the message of an event. */
const adaptor =
  (
    format: (message: Message, metadata: Readonly<Record<string, string>>, event: DeliveredPayload) => object,
  ): Adaptor =>
  (event, metadata) => {
    const message = messageOf(event)
    return message && format(message, (metadata ?? {}) as Readonly<Record<string, string>>, event)
  }

// Slack's mrkdwn: https://api.slack.com/reference/surfaces/formatting
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const slackLink = (url: string, text: string): string => `<${url}|${slackText(text)}>`

function slackHeadline(message: Message, event: DeliveredPayload): string {
  const { push, repoName, repoUrl, reviewed, sender } = message
  if (reviewed !== undefined) {
    // The link is in Markdown (observed).
    const subject = `[${slackText(message.title)}](${message.url})`
    return `[${slackText(repoName)}] ${reviewed}: ${subject} by ${slackText(sender.login)}`
  }
  if (push) {
    const branch = `[${slackText(repoName)}:${slackLink(push.branchUrl, push.branch)}]`
    return `${branch} ${slackLink(push.compareUrl, push.count)} pushed by ${slackText(sender.login)}`
  }
  if (message.kind !== 'ref') return message.headline(slackLink, { plain: slackText })
  const [kind = '', name = ''] = message.fact ?? []
  const isNew = event.eventType === 'create'
  const url = `${repoUrl}/src/${kind.replace(':', '')}/${name.split('/').map(encodeURIComponent).join('/')}`
  const shown = isNew ? slackLink(url, name) : slackText(name)
  return `[${slackText(repoName)}:${shown}] ${kind.replace(':', '')} ${isNew ? 'created' : 'deleted'} by ${slackText(sender.login)}`
}

function slackAttachments(message: Message, color: string): object[] | null {
  const { push, repoUrl } = message
  if (push) {
    const text = push.commits
      .map(({ id, url, message, author }) => {
        const [firstLine = ''] = message.split('\n', 1)
        return `${slackLink(url, shortId(id))}: ${slackText(firstLine)} - ${slackText(author.name)}`
      })
      .join('\n')
    return [{ fallback: '', color, title: repoUrl, title_link: repoUrl, text }]
  }
  if (message.body === '' || message.reviewed !== undefined) return null
  // Titles of comments are taken as they are (observed).
  const title = message.kind === 'comment' ? message.title : slackText(message.title)
  return [{ fallback: '', color: message.color, title, title_link: message.url, text: slackText(message.body) }]
}

const slack = adaptor((message, metadata, event) => ({
  channel: metadata['channel'] ?? '',
  text: slackHeadline(message, event),
  username: metadata['username'] ?? '',
  icon_url: metadata['icon_url'] ?? '',
  unfurl_links: 0,
  link_names: 0,
  attachments: slackAttachments(message, metadata['color'] || message.color),
}))

// https://discord.com/developers/docs/resources/webhook#execute-webhook: an empty name or picture must be absent.
const discord = adaptor((message, metadata) => ({
  ...(metadata['username'] ? { username: cutText(metadata['username'], 80) } : {}),
  ...(metadata['icon_url'] ? { avatar_url: metadata['icon_url'] } : {}),
  embeds: [
    {
      title: cutText(message.headline(plainLink, { withSender: false }), 256),
      description: cutText(message.push ? commitLines(message.push.commits) : message.body, 2000),
      url: message.url,
      color: Number.parseInt(message.color, 16),
      footer: { text: '' },
      author: { name: message.sender.login, url: message.sender.html_url, icon_url: message.sender.avatar_url },
    },
  ],
}))

/** Returns the first line of a message about a review in chats that name no reviewer (observed); else undefined. */
const reviewHeadline = ({ reviewed, repoName, title }: Message): string | undefined =>
  reviewed && `[${repoName}] ${reviewed} : ${title}`

const dingtalk = adaptor((message) => {
  const review = reviewHeadline(message)
  const headline = review ?? message.headline(plainLink)
  const body = message.body === '' ? '' : `\r\n\r\n${message.body}`
  return {
    msgtype: 'actionCard',
    text: { content: '' },
    actionCard: {
      text: message.push ? commitLines(message.push.commits) : `${headline}${body}`,
      title: review ?? (message.title === '' ? headline : message.title),
      hideAvatar: '0',
      singleTitle: message.opens,
      singleURL: `dingtalk://dingtalkclient/page/link?pc_slide=false&url=${encodeURIComponent(message.url)}`,
    },
  }
})

// https://core.telegram.org/bots/api#html-style: all text is escaped.
const telegramLink = (url: string, text: string): string =>
  `<a href="${escapeHtml(url)}" rel="nofollow">${escapeHtml(text)}</a>`

const telegram = adaptor((message) => {
  const headline = message.headline(telegramLink, { plain: escapeHtml })
  const commits = (message.push?.commits ?? []).map(
    ({ id, url, message, author }) =>
      `\n[${telegramLink(url, shortId(id))}] ${escapeHtml(trimTrailing(message, '\n'))} - ${escapeHtml(author.name)}`,
  )
  const gap = message.kind === 'comment' ? '\n' : '\n\n'
  const body = message.body === '' ? '' : `${gap}${escapeHtml(cutText(message.body, 2000))}`
  return { text: `${headline}${commits.join('')}${body}`, parse_mode: 'HTML', disable_web_page_preview: true }
})

const msteams = adaptor((message) => {
  const headline = message.headline(plainLink, { withSender: false })
  const { sender, fact, push } = message
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: message.color,
    title: headline,
    summary: headline,
    sections: [
      {
        activityTitle: sender.full_name === '' ? sender.login : sender.full_name,
        activitySubtitle: sender.login,
        activityImage: sender.avatar_url,
        facts: [{ name: 'Repository:', value: message.repoName }, ...(fact ? [{ name: fact[0], value: fact[1] }] : [])],
        text: push ? commitLines(push.commits) : message.body,
      },
    ],
    potentialAction: [
      { '@type': 'OpenUri', name: 'Open in the browser', targets: [{ os: 'default', uri: message.url }] },
    ],
  }
})

const feishuKinds = wordTable<string>({ issue: 'Issue', pull: 'PullRequest', comment: 'Comment' })

function feishuText(message: Message, event: DeliveredPayload): string {
  const { push, issue, sender, repoName } = message
  if (push) return `[${repoName}:${push.branch}] \r\n${commitLines(push.commits)}`
  const kind = feishuKinds[message.kind]
  if (!issue || kind === undefined) {
    const headline = reviewHeadline(message) ?? message.headline(plainLink)
    return message.body === '' ? headline : `${headline}\r\n\r\n${message.body}`
  }
  const by = `${event.payload['pull_request'] === undefined ? 'Issue' : 'PullRequest'} by ${issue.user?.login ?? ''}`
  const body = message.kind === 'comment' ? message.body : issue.body
  return (
    `[${kind}-${repoName} #${issue.number}]: ${message.action}\n${issue.title}\n${issue.html_url}\n` +
    `${by}\nOperator: ${sender.login}\n\n${body}`
  )
}

const feishu = adaptor((message, _, event) => ({ msg_type: 'text', content: { text: feishuText(message, event) } }))

function wechatText(message: Message): string {
  const { push, repoName, url } = message
  if (push) {
    const commits = push.commits.map(
      ({ id, url: at, message, author }) =>
        ` > [${shortId(id)}](${at}) \r\n ><font color="info">${message.replaceAll('\n\n', '\r\n')}</font> \n ` +
        `><font color="warning">Author: ${author.name}</font>`,
    )
    return `# ${repoName}:${push.branch} <font color="warning">    </font>\r\n\r\n${commits.join('\n')}`
  }
  const review = reviewHeadline(message)
  if (review !== undefined) return `# ${review}\r\n\r\n >${message.body}`
  const headline = message.headline(plainLink)
  if (!message.issue) return headline
  if (message.kind === 'pull') {
    const lines = [message.title, message.body].filter((line) => line !== '')
    const further = lines.map((line) => ` > <font color="comment">${line}</font>`)
    return [` > <font color="info">${headline}</font>`, ...further, ` [${url}](${url})`].join(' \r\n')
  }
  const space = message.kind === 'comment' ? '' : ' '
  return (
    ` ><font color="info">${headline}</font>\n >${message.body} \n ` +
    `><font color="warning">${space}${message.title}</font> \n [${url}](${url})`
  )
}

const wechatwork = adaptor((message) => ({
  msgtype: 'markdown',
  text: { content: '', mentioned_list: null, mentioned_mobile_list: null },
  markdown: { content: wechatText(message) },
}))

/** Longest text for Matrix in characters: its limit of 64 KiB holds for the plain and the HTML form together. */
const matrixBodyLength = 8000

// https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes
const matrix = adaptor((message, metadata) => {
  const commits = message.push?.commits ?? []
  const htmlCommits = commits.map(
    ({ id, url, message, author }) =>
      `<br>${telegramLink(url, shortId(id))}: ${escapeHtml(cutText(message.split('\n', 1)[0] ?? '', 200))} - ` +
      escapeHtml(author.name),
  )
  const body = cutText(message.body, matrixBodyLength)
  const html = body === '' ? '' : `<br>${escapeHtml(body).replaceAll('\n', '<br>')}`
  const text = commits.map(
    ({ id, message, author }) => `\n${shortId(id)}: ${cutText(message.split('\n', 1)[0] ?? '', 200)} - ${author.name}`,
  )
  return {
    body: `${message.headline(plainLink)}${text.join('')}${body === '' ? '' : `\n${body}`}`,
    msgtype: String(metadata['message_type']) === '1' ? 'm.text' : 'm.notice',
    format: 'org.matrix.custom.html',
    formatted_body: `${message.headline(telegramLink, { plain: escapeHtml })}${htmlCommits.join('')}${html}`,
    'io.gitea.commits': commits.map(({ id, url }) => ({ id, url })),
  }
})

/** Packagist updates the package after any event: https://packagist.org/apidoc#update-package */
const packagist: Adaptor = (event, metadata) => ({
  repository: { url: (metadata as { package_url?: string } | null)?.package_url || partsOf(event).repository.html_url },
})

/** SourceHut builds need a manifest, which the API cannot set. */
const sourcehut: Adaptor = () => undefined

const adaptors: ReadonlyMap<string, Adaptor> = new Map<HookType, Adaptor>([
  ['slack', slack],
  ['discord', discord],
  ['dingtalk', dingtalk],
  ['telegram', telegram],
  ['msteams', msteams],
  ['feishu', feishu],
  ['wechatwork', wechatwork],
  ['matrix', matrix],
  ['packagist', packagist],
  ['sourcehut_builds', sourcehut],
])

/** Returns the adaptor of a type; undefined for types that get the payload itself. */
export const adaptorOf = (type: string): Adaptor | undefined => adaptors.get(type)
