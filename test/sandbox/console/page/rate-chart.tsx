import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Sections } from '../views';
import { timeOf } from './format';
import { Card } from './parts';
import { useColourScheme } from './use-colour-scheme';

type Rate = Sections['rate'];

const chartHeight = 150;

function dataOf({ toSecond, used, refused, limit }: Rate): uPlot.AlignedData {
	const seconds = used.map((_, index) => toSecond - used.length + 1 + index);
	// Nothing refused is no line, rather than one along the axis.
	return [seconds, used, refused.map((count) => count || null), used.map(() => limit)];
}

/** The colour of an element's text: a canvas does not know the page's variables. */
const colourOf = (root: Element, selector: string) =>
	getComputedStyle(root.querySelector(selector) ?? root).color;

function drawChart(
	root: HTMLElement,
	target: HTMLElement,
	rate: Rate,
	onHover: (index: number | null) => void,
): uPlot {
	const faint = colourOf(root, '.faint');
	const axis: uPlot.Axis = {
		stroke: colourOf(root, '.muted'),
		grid: { stroke: faint, width: 1 },
		ticks: { show: false },
		font: `11px ${getComputedStyle(root).fontFamily}`,
	};
	const line = (selector: string, fill?: string): uPlot.Series => ({
		stroke: colourOf(root, selector),
		fill,
		width: 1.5,
		points: { show: false },
	});
	const fillOf = (selector: string) =>
		colourOf(root, selector).replace(/^rgb\((.*)\)$/, 'rgba($1, 0.15)');
	return new uPlot(
		{
			width: target.clientWidth,
			height: chartHeight,
			legend: { show: false },
			cursor: { y: false, drag: { x: false, y: false } },
			scales: {
				y: { range: (_chart, _min, max) => [0, Math.max(max * 1.15, 10)] },
			},
			axes: [
				{
					...axis,
					grid: { show: false },
					size: 24,
					incrs: [60],
					values: (_chart, seconds) => seconds.map(minuteOf),
				},
				{ ...axis, size: 36 },
			],
			series: [
				{},
				line('.used', fillOf('.used')),
				line('.refused', fillOf('.refused')),
				{ ...line('.limit'), dash: [4, 4] },
			],
			hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
		},
		dataOf(rate),
		target,
	);
}

const minuteOf = (second: number) => timeOf(second * 1000).slice(0, 5);

/** How much of the rate limit is used, now and over the last five minutes. */
export function RateChart({ rate }: { rate: Rate }) {
	const root = useRef<HTMLDivElement>(null);
	const target = useRef<HTMLDivElement>(null);
	const chart = useRef<uPlot>(null);
	const [hovered, setHovered] = useState<number | null>(null);
	const scheme = useColourScheme();

	useEffect(() => {
		const [area, canvas] = [root.current, target.current];
		if (!area || !canvas) return undefined;
		const drawn = drawChart(area, canvas, rate, setHovered);
		chart.current = drawn;
		const resizing = new ResizeObserver(() =>
			drawn.setSize({ width: canvas.clientWidth, height: chartHeight }),
		);
		resizing.observe(canvas);
		return () => {
			resizing.disconnect();
			drawn.destroy();
		};
		// The data come by the other effect.
	}, [scheme]);

	useEffect(() => chart.current?.setData(dataOf(rate)), [rate]);

	const index = hovered ?? rate.used.length - 1;
	const used = rate.used[index] ?? 0;
	const refused = rate.refused[index] ?? 0;
	const second = rate.toSecond - rate.used.length + 1 + index;
	const limit = rate.limit === null ? 'no limit' : `of ${rate.limit}`;
	return (
		<Card
			title="Rate limit"
			name="rate"
			note={hovered === null ? 'last minute' : `minute to ${timeOf(second * 1000)}`}
		>
			<div ref={root}>
				<p class="figures">
					<span class="used">
						<b class="number">{used}</b> <span class="muted">{limit} used</span>
					</span>
					<span class="refused">
						<b class="number">{refused}</b> <span class="muted">refused</span>
					</span>
					<span class="limit" hidden />
					<span class="faint" hidden />
				</p>
				<div
					ref={target}
					class="chart"
					role="img"
					aria-label={`${used} requests ${limit} used in the last minute, ${refused} refused`}
				/>
			</div>
		</Card>
	);
}
