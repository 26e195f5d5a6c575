import type { Texts } from '../translation.ts'

/** Texts of the lists of what concerns a person. */
export const mineTexts: Texts['mineTexts'] = {
  kinds: { issues: '议题', pulls: '拉取请求' },
  views: {
    assigned: '指派给你',
    created: '由你创建',
    mentioned: '提及你',
    review_requested: '等待你评审',
    reviewed: '你已评审',
  },
  search: '在其中搜索',
  open: '开启',
  closed: '已关闭',
  state: '状态',
  empty: '这里没有内容',
  emptyLead: '没有此类事项在等待你。请查看其他列表，或探索仓库。',
  explore: '探索仓库',
  parts: '列表',
  boards: '你的视图',
}
