import type { MailTexts } from './mail-texts.ts'

const kinds = { issue: '此议题', pull: '此拉取请求' } as const

const lengthOf = (minutes: number): string => (minutes % 60 === 0 ? `${minutes / 60} 小时` : `${minutes} 分钟`)

export const chinese: MailTexts = {
  language: 'zh-Hans',
  opened: (who, kind) => `${who} 创建了${kinds[kind]}。`,
  commented: (who, kind) => `${who} 评论了${kinds[kind]}。`,
  closed: (who, kind) => `${who} 关闭了${kinds[kind]}。`,
  reopened: (who, kind) => `${who} 重新打开了${kinds[kind]}。`,
  merged: (who) => `${who} 合并了此拉取请求。`,
  pushed: (who) => `${who} 向此拉取请求推送了新的提交。`,
  readied: (who) => `${who} 表示此拉取请求可以评审。`,
  approved: (who) => `${who} 批准了此拉取请求。`,
  rejected: (who) => `${who} 要求修改此拉取请求。`,
  reviewed: (who) => `${who} 评审了此拉取请求。`,
  dismissed: (who) => `${who} 撤销了此拉取请求的一个评审。`,
  assigned: (who, kind) => `${who} 将${kinds[kind]}指派给你。`,
  reviewRequested: (who) => `${who} 请你评审此拉取请求。`,
  released: (who, tag, repository) => `${who} 发布了 ${repository} 的 ${tag}。`,
  offered: (who, repository, recipient) => `${who} 想把仓库 ${repository} 转移给 ${recipient}。可以接受或拒绝。`,
  offerSubject: (repository) => `仓库 ${repository} 等待你接受`,
  show: '查看',
  image: '图片',
  why: {
    mentioned: '你收到此邮件，是因为其中提及了你或你所在的团队。',
    assigned: '你收到此邮件，是因为有人指派了你。',
    reviewRequested: '你收到此邮件，是因为有人请你评审。',
    offered: '你收到此邮件，是因为你可以接受该仓库。',
    takesPart: '你收到此邮件，是因为你参与其中，或关注了该仓库。',
    watches: '你收到此邮件，是因为你关注了该仓库。',
  },
  lastOfHour: (count) =>
    `这是一小时内发给你的第 ${count} 封邮件，也是最后一封：这一小时内之后发生的事情，请在你的通知中查看。`,
  unsubscribe: {
    link: '不再接收与此有关的邮件',
    title: '不再接收邮件',
    fromConversation: '不再接收此讨论的邮件',
    fromRepository: '不再关注此仓库',
    fromAll: '不再接收任何动态的邮件',
    doneConversation: '除非有人提及你，否则你不会再收到此讨论的邮件。',
    doneRepository: '你不再关注此仓库。',
    doneAll: '你不会再收到动态的邮件。',
  },
  welcome: {
    subject: (appName) => `你在 ${appName} 的账号`,
    hello: (name) => `${name}，你好：`,
    made: (appName, name) => `已在 ${appName} 为你创建账号，你的用户名是 ${name}。`,
    signIn: '登录',
    firstPassword: '初始密码请向创建账号的人询问；登录后会要求你设置自己的密码。',
    password: '密码请向创建账号的人询问。',
  },
  link: {
    confirmSubject: (appName) => `请确认你在 ${appName} 的账号`,
    confirm: (appName, name) => `有人（很可能是你）想在 ${appName} 注册名为 ${name} 的账号。`,
    confirmLink: '确认',
    knownSubject: (appName) => `你已有 ${appName} 的账号`,
    known: (appName, name) => `有人想用此地址注册 ${appName}。该地址已属于一个账号：${name}。`,
    resetSubject: (appName) => `重置 ${appName} 的密码`,
    reset: (appName, name) => `有人（很可能是你）想为 ${appName} 的账号 ${name} 设置新密码。`,
    resetLink: '设置密码',
    noPassword: '此账号的密码由其他地方管理，请向那里的管理者求助。',
    addressSubject: (appName) => `请确认你在 ${appName} 的邮箱地址`,
    address: (appName, name) => `${appName} 的账号 ${name} 想使用此地址。`,
    addressLink: '确认',
    lasts: (minutes) => `链接仅可使用一次，${lengthOf(minutes)}内有效。`,
    notYou: '如果不是你本人，则无需理会：不会有任何更改。',
  },
  invitation: {
    subject: (who, target) => `${who} 邀请你加入 ${target}`,
    toTeam: (who, organization, team, appName) =>
      `${who} 邀请你加入 ${appName} 上组织 ${organization} 的团队 ${team}。`,
    toRepository: (who, repository, appName) => `${who} 邀请你加入 ${appName} 上的仓库 ${repository}。`,
    show: '查看邀请',
    lasts: (days) => `该邀请只能接受一次，${days} 天内有效。`,
    unexpected: '如果你并未预期收到此邀请，无需任何操作，一切保持不变。',
    acceptedSubject: (who, target) => `${who} 接受了你对 ${target} 的邀请`,
    accepted: (who, target, address) =>
      `${who} 接受了你发送到 ${address} 的 ${target} 邀请。如果这不是你邀请的人，请收回其访问权限。`,
    acceptedLink: (who, target) =>
      `${who} 通过你创建的链接接受了 ${target} 的邀请。如果这不是你邀请的人，请收回其访问权限。`,
  },
  security: {
    subject: (appName) => `你在 ${appName} 的账号有更改`,
    password: (account, appName) => `你在 ${appName} 的账号 ${account} 的密码已更改。`,
    address: (account, appName, address) =>
      `你在 ${appName} 的账号 ${account} 的邮件现已改为发往另一个地址：${address}。此地址不再是主要地址。`,
    codes: (account, appName) => `已为你在 ${appName} 的账号 ${account} 设置身份验证器应用，登录时需要其中的验证码。`,
    passkey: (account, appName, name) =>
      `已为你在 ${appName} 的账号 ${account} 添加通行密钥“${name}”，用它登录无需密码。`,
    secondFactorRemoved: (account, appName) =>
      `已从你在 ${appName} 的账号 ${account} 移除一个第二重验证（身份验证器应用或通行密钥）。`,
    token: (account, appName, name) => `已为你在 ${appName} 的账号 ${account} 创建访问令牌“${name}”。`,
    sshKey: (account, appName, name) => `已为你在 ${appName} 的账号 ${account} 添加 SSH 密钥“${name}”。`,
    application: (account, appName, name) => `你在 ${appName} 的账号 ${account} 创建或更改了 OAuth2 应用“${name}”。`,
    emailAddress: (account, appName, name) => `已为你在 ${appName} 的账号 ${account} 添加邮箱地址 ${name}。`,
    webhook: (account, appName, name) => `你在 ${appName} 的账号 ${account} 创建或更改了发往 ${name} 的 Webhook。`,
    secret: (account, appName, name) => `你在 ${appName} 的账号 ${account} 设置了工作流的机密 ${name}。`,
    deployKey: (account, appName, name) => `你在 ${appName} 的账号 ${account} 添加了部署密钥“${name}”。`,
    openpgpKey: (account, appName, name) => `你在 ${appName} 的账号 ${account} 添加了 OpenPGP 密钥 ${name}。`,
    pushMirror: (account, appName, name) => `你在 ${appName} 的账号 ${account} 添加了推送镜像 ${name}。`,
    runnerToken: (account, appName, name) => `你在 ${appName} 的账号 ${account} 查看了 ${name} 的运行器注册令牌。`,
    administrator: (account, appName, name) => `你在 ${appName} 的账号 ${account} 将账号 ${name} 设为管理员。`,
    notYou: '如果不是你本人，请立即更改密码，并检查你的设置。',
    settings: '设置',
  },
  newAccount: {
    subject: (name) => `新账号：${name}`,
    text: (name) => `有一个名为 ${name} 的新账号。`,
  },
}
