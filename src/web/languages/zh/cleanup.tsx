import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

/** Texts of the pages of clean-up rules. */
export const cleanupTexts: Texts['cleanupTexts'] = {
  title: '软件包',
  rules: '清理规则',
  rulesLead: '规则每天移除一次软件包的旧版本。',
  none: '暂无规则，所有版本都会保留。',
  add: '添加规则',
  added: (type) => `${type} 的规则已添加。`,
  on: '已启用',
  off: '已停用',
  summary: (keepCount, days) =>
    [
      ...(keepCount === 0 ? [] : [`保留最新的 ${numberText(keepCount)} 个`]),
      days === 0 ? '移除任意时间的版本' : `${numberText(days)} 天后移除`,
    ].join('，'),
  lastRun: (count) => `移除了 ${numberText(count)} 个版本，时间：`,
  run: '立即运行',
  runOf: (type) => `立即运行 ${type} 的规则`,
  saved: '规则已保存。',
  started: '规则正在后台运行。',
  ruleOf: (type) => `清理规则：${type}`,
  back: '所有规则',
  preview: '现在会移除的内容',
  previewNone: '目前没有。',
  previewMore: '还会移除更多版本，未在此列出。',
  previewOff: '规则已停用。如果启用，会移除以下版本：',
  registry: '注册中心',
  keepCount: '保留的版本数',
  keepCountHint: '每个软件包保留最新的几个。0 表示不因此保留。',
  removeDays: '移除前的天数',
  removeDaysHint: '0 表示不考虑时间。',
  keepPattern: '始终保留的版本',
  removePattern: '仅移除这些版本',
  patternHint: '匹配整个版本的正则表达式。',
  fullName: '同时匹配软件包的名称',
  fullNameHint: '表达式匹配“package/version”，而不仅是版本。',
  enabled: '启用规则',
  delete: '删除规则',
  deleteQuestion: (type) => `要删除 ${type} 的清理规则吗？`,
  removed: '规则已删除。',
}
