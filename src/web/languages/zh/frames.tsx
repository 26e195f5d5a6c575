import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

/** Texts of the frames around the pages of a repository, an account or a group of settings. */
export const frameTexts: Texts['frameTexts'] = {
  repository: {
    tabs: '仓库',
    marks: '关注、星标或派生',
    code: '代码',
    issues: '议题',
    pulls: '拉取请求',
    projects: '项目',
    actions: 'Actions',
    packages: '软件包',
    releases: '发行版',
    wiki: 'Wiki',
    activity: '动态',
    search: '搜索',
    settings: '设置',
    private: '私有',
    internal: '内部',
    archived: '已归档',
    template: '模板',
    mirror: '镜像',
    archivedSince: '此仓库已归档，只能读取，不能修改。',
    forkedFrom: '派生自 ',
    mirrorOf: '镜像自 ',
    star: '加星标',
    unstar: '取消星标',
    watch: '关注',
    fork: '派生',
    stars: (count) => `查看加星标的用户：${count}`,
    watchers: (count) => `查看关注的用户：${count}`,
    forks: (count) => `查看派生仓库：${count}`,
    signInFirst: '请先登录',
  },
  /** What a person hears of a repository. */
  watching: {
    title: (name, level) => `关注 ${name}：${level}`,
    menu: '你会收到此仓库的哪些内容',
    levels: {
      all: { name: '所有动态', button: '已关注', hint: '所有新的议题、拉取请求、评论和发行版。' },
      releases: { name: '发行版', button: '发行版', hint: '通过邮件和首页得知新的发行版，以及你参与的内容。' },
      participating: { name: '参与和提及', button: '关注', hint: '你参与的内容，以及提及你或需要你处理的内容。' },
      nothing: { name: '不接收', button: '已忽略', hint: '即使有人提及你，也没有通知和邮件。' },
    },
  },
  person: {
    tabs: '个人主页',
    repositories: '仓库',
    packages: '软件包',
    activity: '动态',
    stars: '星标',
    followers: '关注者',
    following: '正在关注',
  },
  organization: {
    tabs: '组织',
    repositories: '仓库',
    issues: '议题',
    projects: '项目',
    packages: '软件包',
    activity: '动态',
    people: '成员',
    teams: '团队',
    settings: '设置',
    private: '私有',
    limited: '受限',
  },
}

/** The texts about a transfer that waits for the recipient. */
export const transferTexts: Texts['transferTexts'] = {
  offered: (recipient) => `此仓库正等待 ${recipient} 接受转移。`,
  accept: '接受',
  reject: '拒绝',
  cancel: '取消转移',
  accepted: (owner) => `仓库现在归 ${owner} 所有。`,
  rejected: '转移已被拒绝。',
  cancelled: '转移已取消。',
}

/** Texts about checks and signatures of commits. */
export const commitMarkTexts: Texts['commitMarkTexts'] = {
  checks: (passed, total) => `${numberText(total)} 项检查中 ${numberText(passed)} 项已通过`,
  signatureBroken: '签名与提交不符',
  signatureKey: (key) => `密钥 ${key}`,
  signatureUnknown: '以未知密钥签名',
  signatureUnread: '签名的形式无法读取',
  signedBy: (name) => (name === '' ? '签名已验证' : `${name} 的签名已验证`),
}
