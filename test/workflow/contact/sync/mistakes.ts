import { mistake } from '../../mistake';
import { automatic, mapped } from './syncNode';

const phone = '+4915123456789';
const rows = [
	{ name: 'Anna Schmidt', phone: '0170 5556677' },
	{ name: 'Ben Okafor', phone: '+44 7911 123201' },
	{ name: 'Chloé Martin', phone: '+33 6 12 34 52 01' },
	{ name: 'Dan Cole', phone: '12' },
];

export const mistakes = [
	mistake('Sync: some rows have bad numbers', automatic(), { items: rows, isUnclear: true }),
	mistake('Sync: the same, with Stop on First Error', automatic({ stopAtFirstProblem: true }), {
		items: rows,
	}),
	mistake('Sync, mapped automatically: no column holds phone numbers', automatic(), {
		items: [
			{ customer: 'Anna', contact_info: '+4915123456789' },
			{ customer: 'Ben', contact_info: '+447911123201' },
		],
	}),
	mistake('Sync: the input is a file that no node has read', automatic(), { items: [{}] }),
	mistake('Sync, mapped automatically: the headings are in the second row', automatic(), {
		items: [
			{ 'Customers 2026': 'Name', __EMPTY: 'Phone' },
			{ 'Customers 2026': 'Anna', __EMPTY: phone },
		],
	}),
	mistake('Sync, mapped automatically: two columns could be the phone number', automatic(), {
		items: [{ Mobile: '+4915123456789', WhatsApp: '+447911123201' }],
	}),
	mistake(
		'Sync: a number column contains text',
		mapped(
			{ phone: '={{ $json.phone }}', 'attributes.orders': 'many' },
			{},
			{ 'attributes.orders': 'number' },
		),
		{ items: [{ phone }] },
	),
	mistake("Sync: 'Opt In' is 'maybe'", mapped({ phone: '={{ $json.phone }}', opt_in: 'maybe' }), {
		items: [{ phone }],
	}),
];
