import type { ComponentChildren } from 'preact'

export const invitationTexts = {
  title: '邀请',
  lead: (days: number) => `邀请只能接受一次，${days} 天内有效。`,
  none: '没有待接受的邀请。',
  nameOrAddress: '用户名或邮箱地址',
  withMail: '填写邮箱地址会发送邀请邮件。',
  withoutMail: '此服务器不发送邮件：填写邮箱地址会得到一个可转交的链接。',
  link: '链接',
  permission: '通过链接获得的权限',
  makeLink: '创建链接',
  newLink: '邀请链接',
  linkOnce: '请将此链接交给你邀请的人。它只显示一次，持有链接的任何人都可以接受。',
  sent: (address: string) => `发往 ${address} 的邀请已在途中。`,
  invitedBy: (name: string) => `由 ${name} 邀请`,
  ends: (when: ComponentChildren) => <>到期：{when}</>,
  revoke: '撤回',
  revokeOf: (whom: string) => `撤回邀请：${whom}`,
  confirmRevoke: '要撤回此邀请吗？其链接将失效。',
  revoked: '邀请已撤回。',
  answered: '已答复的邀请',
  accepted: (name: string) => `${name} 已接受`,
  declined: '已拒绝',
  somebody: '已删除的账号',
  byLink: '通过链接',
  byMail: '通过邮件',
  sentTo: (address: string) => `发送至 ${address}`,
  page: {
    title: '邀请',
    toTeam: (who: ComponentChildren, team: string, org: string) => (
      <>
        {who} 邀请你加入组织 <strong>{org}</strong> 的团队 <strong>{team}</strong>。
      </>
    ),
    toRepository: (who: ComponentChildren, repository: string) => (
      <>
        {who} 邀请你加入仓库 <strong>{repository}</strong>。
      </>
    ),
    gives: {
      read: '阅读代码、议题和拉取请求，并发表评论。',
      write: '读取和推送代码，并管理议题、拉取请求和发布。',
      admin: '仓库中的一切，包括设置和他人的权限。',
    },
    makesOwner: '你将成为所有者：可以更改组织中的一切。',
    givesTeam: '你将获得该团队对其仓库的权限。',
    asAccount: (account: string, who: string) => `你将以 ${account} 的身份接受。${who} 会看到接受邀请的账号。`,
    otherAddress: '此邀请发送到了你的账号尚未确认的地址。仅在邀请确实是给你的时候接受。',
    accept: '接受',
    decline: '拒绝',
    joined: (team: string, org: string) => `你已加入 ${org} 的团队 ${team}。`,
    shared: (repository: string) => `你已获得 ${repository} 的访问权限。`,
    declined: '你已拒绝邀请。',
    guest: '有人邀请你。登录以查看邀请。',
    signUp: '还没有账号？请注册；如果没有自动返回此页，请重新打开邀请链接。',
    closed: '此处不开放注册：如果没有账号，请联系邀请你的人或管理员。',
  },
}
