import type { Automation, Segment, Template } from '../records';

/** The workspace's templates; the last one has no id, as some services know names only. */
export const seedTemplates = (): Template[] => [
	{
		id: 'tpl_order_shipped',
		name: 'order_shipped',
		language: 'en',
		category: 'utility',
		body: 'Hi {{1}}, your order {{2}} is on its way.',
	},
	{
		id: 'tpl_appointment_reminder',
		name: 'appointment_reminder',
		language: 'en',
		category: 'utility',
		body: 'Hi {{name}}, see you on {{date}} at {{time}}.',
	},
	{
		id: 'tpl_spring_offer',
		name: 'spring_offer',
		language: 'de',
		category: 'marketing',
		body: 'Hallo {{1}}, bis Sonntag gibt es {{2}} % auf alle Sorten.',
	},
	{
		id: 'tpl_question',
		name: 'question',
		language: 'en',
		category: 'utility',
		body: 'Harbour Coffee asks: {{question}} Please reply yes or no.',
	},
	{
		id: 'tpl_reply',
		name: 'reply',
		language: 'en',
		category: 'utility',
		body: 'Harbour Coffee: {{text}}',
	},
	{ name: 'welcome', language: 'en', category: 'marketing', body: 'Welcome, {{name}}!' },
];

/** The workspace's automations; one is switched off. */
export const seedAutomations = (): Automation[] => [
	{
		id: 'aut_welcome_series',
		name: 'Welcome series',
		trigger: 'Contact is created',
		active: true,
	},
	{ id: 'aut_vip_care', name: 'VIP care', trigger: 'Tag is added', active: true },
	{ id: 'aut_win_back', name: 'Win back', trigger: 'Manual', active: true },
	{
		id: 'aut_old_newsletter',
		name: 'Newsletter (old)',
		trigger: 'Tag is added',
		active: false,
	},
];

/** The workspace's segments. */
export const seedSegments = (): Segment[] => [
	{ id: 'seg_confirmed', name: 'Confirmed contacts', rule: { opt_in_status: 'confirmed' } },
	{ id: 'seg_vip', name: 'VIP customers', rule: { tag: 'vip' } },
	{
		id: 'seg_newsletter',
		name: 'Newsletter readers',
		rule: { tag: 'newsletter', opt_in_status: 'confirmed' },
	},
];
