"""The grid: a cursor that stays on its row, marks, and nothing drawn that has not changed."""

import pytest
from textual.geometry import Region

from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import keymap
from evaltui.tui.runs import cell
from evaltui.tui.widgets.grid import Grid, Rows
from tests.tui import sample_app
from tests.tui.frames import LOOKS, SIZES, check, manners, watch_tokens
from tests.tui.sample_app import SampleApp

KEYS = keymap(ACTIONS)[0]


def app(rows: int = 40, look: str = "dark") -> SampleApp:
    return SampleApp(manners(look), KEYS, rows)


def at(number: int) -> str:
    return f"swe_bench_{number:05d}"


def rows(*numbers: int) -> Rows:
    return Rows.of((at(n), sample_app.LINES[n].cells()) for n in numbers)


class Drawn:
    """Regions that a grid asked to draw again."""

    def __init__(self, grid: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
        self.regions: list[Region] = []
        refresh = grid.refresh

        def watched(*regions: Region, **how: bool) -> Grid:
            self.regions += regions or [grid.size.region]
            return refresh(*regions, **how)

        monkeypatch.setattr(grid, "refresh", watched)


@pytest.mark.parametrize(
    ("press", "row"),
    [
        ("", 0),
        ("down", 1),
        ("j j j k", 2),
        ("up", 0),
        ("G", 39),
        ("end down", 39),
        ("G g", 0),
        ("ctrl+d", 15),
        ("ctrl+d ctrl+u", 0),
        ("pagedown pagedown pagedown", 39),
    ],
)
async def test_the_cursor_moves_with_the_keys(press, row):
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press(*press.split())
        assert pilot.app.grid.at.row == row


async def test_the_cursor_is_always_in_sight():
    async with app(100).run_test(size=(80, 24)) as pilot:
        grid = pilot.app.grid
        for key in ("G", "k", "ctrl+u", "g", "ctrl+d", "j"):
            await pilot.press(key)
            assert grid.at.row is not None
            assert grid.at.top <= grid.at.row < grid.at.top + grid.page_height


async def test_the_cursor_stays_on_its_row_when_others_come_and_go():
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        await pilot.press("j", "j")
        grid.set(rows(7, 8, 2, 1, 0))
        assert (grid.cursor_key, grid.at.row) == (at(2), 2)
        grid.set(rows(0, 1, 2, 7, 8))
        assert grid.cursor_key == at(2)


async def test_when_its_row_goes_the_cursor_stays_in_its_place():
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        await pilot.press("j", "j")
        grid.set(rows(0, 1, 3, 4))
        assert grid.cursor_key == at(3)
        grid.set(rows(0))
        assert grid.cursor_key == at(0)
        grid.set(Rows())
        assert (grid.cursor_key, grid.targets) == (None, ())
        await pilot.press("j", "G", "space", "v")
        grid.set(rows(5, 6))
        assert grid.cursor_key == at(5)


async def test_a_row_above_does_not_move_what_is_on_the_screen():
    async with app(100).run_test(size=(80, 24)) as pilot:
        grid = pilot.app.grid
        await pilot.press("G", "k", "k")
        line = grid.at.row - grid.at.top
        grid.set(rows(*range(50, 100), *range(49)))
        assert grid.cursor_key == at(97)
        assert grid.at.row - grid.at.top == line


async def test_marked_rows_are_the_targets_and_else_the_row_under_the_cursor():
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        assert grid.targets == (at(0),)
        await pilot.press("space", "j", "space")
        assert grid.targets == (at(0), at(2))
        assert grid.cursor_key == at(3)
        await pilot.press("k", "space")
        assert grid.targets == (at(0),)
        await pilot.press("escape")
        assert grid.targets == (at(3),)


async def test_a_range_marks_all_rows_between():
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        await pilot.press("j", "v", "j", "j")
        assert grid.targets == (at(1), at(2), at(3))
        await pilot.press("k")
        assert grid.targets == (at(1), at(2))
        await pilot.press("v", "j", "j")
        assert grid.targets == (at(1), at(2))


async def test_marks_on_rows_that_are_hidden_are_no_targets_but_come_back():
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        await pilot.press("space", "space")
        grid.set(rows(1, 5))
        assert grid.targets == (at(1),)
        grid.set(rows(5, 6))
        assert grid.targets == (grid.cursor_key,)
        grid.set(rows(0, 1, 5))
        assert grid.targets == (at(0), at(1))


async def test_a_cell_that_changes_is_all_that_is_drawn_again(monkeypatch):
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        await pilot.pause()
        drawn = Drawn(grid, monkeypatch)
        sample_app.LINES[4].done += 1
        pilot.app.sample.show(sample_app.Query())
        assert len(drawn.regions) == 1
        done = next(placed for placed in grid._placed if placed.column.id == "done")
        assert drawn.regions[0] == Region(2 + done.start, 2 + 4, done.width, 1)


async def test_rows_that_are_the_same_draw_nothing(monkeypatch):
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.pause()
        drawn = Drawn(pilot.app.grid, monkeypatch)
        pilot.app.sample.show(sample_app.Query())
        assert drawn.regions == []


async def test_a_step_of_the_cursor_draws_two_lines(monkeypatch):
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.pause()
        drawn = Drawn(pilot.app.grid, monkeypatch)
        await pilot.press("j")
        assert drawn.regions == [Region(1, 2, 118, 1), Region(1, 3, 118, 1)]


async def test_only_rows_in_sight_are_asked_for():
    asked: set[int] = set()

    def cells(row: int):
        asked.add(row)
        return (cell("▸"), cell(str(row)))

    async with app().run_test(size=(80, 24)) as pilot:
        pilot.app.grid.set(Rows([str(n) for n in range(100_000)], cells))
        await pilot.press("G")
        await pilot.pause()
        height = pilot.app.grid.page_height
        assert asked == {*range(height), *range(100_000 - height, 100_000)}


async def test_a_row_with_too_few_cells_is_drawn_with_blanks():
    async with app().run_test(size=(80, 24)) as pilot:
        pilot.app.grid.set(Rows.of([("a", (cell("x"),)), ("b", ())]))
        await pilot.pause()
        assert pilot.app.grid.row_count == 2


async def test_the_mouse_does_what_the_keys_do():
    async with app().run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        await pilot.click(grid, offset=(5, 6))
        assert grid.at.row == 4
        await pilot.click(grid, offset=(5, 6), times=2)
        assert pilot.app.sample.message_line._said == cell(f"opened {at(4)}")
        await pilot.click(grid, offset=(6, 1))
        assert pilot.app.sample.message_line._said == cell("sort by task")
        await pilot.click(grid, offset=(0, 0))
        await pilot.click(grid, offset=(5, 34))
        assert grid.at.row == 4


async def test_the_wheel_scrolls_and_leaves_the_cursor():
    async with app(100).run_test(size=(120, 35)) as pilot:
        grid = pilot.app.grid
        grid.scroll_rows(3)
        assert (grid.at.top, grid.at.row) == (3, 0)
        grid.scroll_rows(-9)
        assert grid.at.top == 0


async def test_a_sorted_column_says_so():
    async with app(3).run_test(size=(80, 24)) as pilot:
        grid = pilot.app.grid
        grid.set_columns(grid.columns, ("task", True))
        await pilot.pause()
        assert "TASK ▾" in "".join(segment.text for segment in grid.body_line(0, 78))


async def test_other_columns_are_laid_out_at_once():
    async with app(3).run_test(size=(80, 24)) as pilot:
        grid = pilot.app.grid
        grid.set_columns(grid.columns[:2])
        await pilot.pause()
        assert "MODEL" not in "".join(segment.text for segment in grid.body_line(0, 78))


@pytest.mark.parametrize("size", [(120, 35), (80, 24), (30, 10), (12, 4), (3, 3), (1, 1)])
async def test_every_line_fills_its_width_at_every_size(size):
    async with app().run_test(size=size) as pilot:
        grid = pilot.app.grid
        for framed in (True, False):
            grid.framed = framed
            await pilot.resize_terminal(size[0] + 1, size[1])
            await pilot.resize_terminal(*size)
            for y in range(grid.size.height):
                width = sum(segment.cell_length for segment in grid.line(y, grid.size.width))
                assert width == grid.size.width


async def test_a_window_that_grows_shows_more_rows():
    async with app(100).run_test(size=(80, 12)) as pilot:
        await pilot.press("G")
        await pilot.resize_terminal(80, 40)
        grid = pilot.app.grid
        assert grid.at.top == 100 - grid.page_height
        assert len(grid._drawn) == grid.page_height


HOSTILE = (
    "[/]",
    "[@click=app.quit]x[/]",
    "\x1b[31mred\x1b[0m",
    "日本語" * 9,
    "e\u0301\u202ex",
    "a\nb",
)


async def test_hostile_text_is_shown_as_text():
    async with app(0).run_test(size=(80, 24)) as pilot:
        grid = pilot.app.grid
        grid.set(Rows.of((str(n), (cell("x"), cell(text))) for n, text in enumerate(HOSTILE)))
        grid.set_title(cell("[b]\x1b[31m"), cell("\x1b]0;x\x07"))
        await pilot.pause()
        lines = ["".join(s.text for s in grid.line(y, 80)) for y in range(grid.size.height)]
        assert all(line.isprintable() for line in lines)
        assert "[/]" in lines[2]
        assert "[@click=app.q" in lines[3]
        assert "␛[31mred␛[0m" in lines[4]
        assert "[b]␛[31m" in lines[0]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
async def test_frames_of_the_grid(size, look):
    sample = app(30, look)
    watch_tokens(sample)
    async with sample.run_test(size=size) as pilot:
        await pilot.press("j", "space", "v", "j", "j", "v", "j", "j")
        await pilot.pause()
        check(sample, "grid", look)
